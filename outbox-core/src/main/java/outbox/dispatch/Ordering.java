package outbox.dispatch;

/** In which order events are delivered. */
public enum Ordering {
    /** In none: events of one aggregate may run at the same time, and overtake each other after a failure. */
    NONE,
    /**
     * Those of one aggregate (the same aggregate type and aggregate id) one after another, in the order of their inserts, across
     * processes: the next one starts after the last one is recorded as DONE, or as DEAD if its listener lets the others
     * {@linkplain outbox.AfterDead#CONTINUE continue}. Events without an aggregate id have no order.
     */
    PER_AGGREGATE
}
