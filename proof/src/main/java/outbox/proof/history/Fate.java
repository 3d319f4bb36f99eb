package outbox.proof.history;

/** What becomes of an event in the end. */
public enum Fate {
    /** Delivered, perhaps after some failures. */
    WELL,
    /** Its listener fails whatever happens: must end DEAD. */
    POISON,
    /** Its listener fails until a person has cured what it lacked; replayed then, it is delivered. Only where a dead event holds its key. */
    CURABLE
}
