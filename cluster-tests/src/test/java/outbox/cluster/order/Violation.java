package outbox.cluster.order;

/**
 * A promise that was broken.
 *
 * @param key whose, or null if the event has none
 */
record Violation(Kind kind, String key, String what) {

    enum Kind {
        /** Delivered, but never committed. */
        INVENTED,
        /** Committed, and neither delivered nor DEAD as it should be. */
        LOST,
        /** Begun before an event that was committed before it. */
        INVERSION,
        /** Begun when an event that was committed before it had been begun but not settled. */
        TOO_EARLY,
        /** Ran at the same time as another one of its key, without a fault. */
        OVERLAP,
        /** Delivered once more, without a fault. */
        REPEAT
    }
}
