package outbox.internal.outcome;

/** The right to decide about an event, as one delivery got it. */
public interface Hold {

    /** A right that nothing but the table can end. */
    Hold OWN = () -> true;

    /** Whether it is still the one that counts in this process; the table decides the rest. */
    boolean isCurrent();

    /** Whether it is certain, without asking the table, that nobody else has it. */
    default boolean isCertain() {
        return isCurrent();
    }
}
