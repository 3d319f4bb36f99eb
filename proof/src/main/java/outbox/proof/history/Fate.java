package outbox.proof.history;

/** What becomes of an event in the end. */
public enum Fate {
    /** Delivered, perhaps after some failures. */
    WELL,
    /** Its listener fails whatever happens: must end DEAD. */
    POISON,
    /** Its listener ends its process whenever it is called: must end DEAD, and no other event with it. */
    KILLER,
    /** Its listener fails until a person has cured what it lacked; replayed then, it is delivered. Only where a dead event holds its key. */
    CURABLE;

    /** Whether it is delivered in the end. */
    public boolean arrives() {
        return this == WELL || this == CURABLE;
    }
}
