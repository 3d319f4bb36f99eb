package outbox.proof.history;

/** A promise that was broken. */
public record Violation(Kind kind, String what) {

    /** Which promise. */
    public enum Kind {
        /** Committed, and never delivered. */
        LOST,
        /** Delivered or stored, but never committed; or delivered by another outbox than its own. */
        INVENTED,
        /** Arrived otherwise than it was written. */
        ALTERED,
        /** Dead, though no listener was ever called for it. No fault excuses that. */
        UNHEARD,
        /** Begun before all that was committed before it in its account had been settled. */
        OUT_OF_ORDER,
        /** Ran while another event of its account ran, without a fault. */
        OVERLAPPING,
        /** Delivered again without a fault. */
        REPEATED,
        /** Consumed, and what it was to do was not done. */
        EFFECT_MISSING,
        /** Consumed, and what it was to do was done again. No fault excuses that. */
        EFFECT_REPEATED,
        /** Its row does not tell what has become of it. */
        WRONG_STATE,
        /** A process kept events from the others and did nothing with them, or did not record what became of them. */
        STALLED,
        /** Everything has ended, and somebody still holds it. */
        STILL_LEASED,
        /** A process kept a thread or a connection. */
        LEAKED
    }
}
