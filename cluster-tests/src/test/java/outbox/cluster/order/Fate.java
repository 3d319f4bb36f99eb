package outbox.cluster.order;

/** What the listener makes of an event in the end. */
enum Fate {
    /** Delivered, perhaps after some failures. */
    WELL,
    /** Fails whatever happens: must end DEAD. */
    POISON,
    /** Fails until a person has cured it: replayed then, it is delivered. Only where a DEAD event holds its key. */
    CURABLE
}
