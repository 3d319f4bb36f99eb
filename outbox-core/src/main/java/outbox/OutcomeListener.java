package outbox;

/** A listener that knows the circumstances of a delivery and says what has become of it; see {@link Listener}. Must be thread-safe. */
@FunctionalInterface
public interface OutcomeListener {

    /** Handles the event. Throwing anything means failure. */
    Outcome onEvent(EventEnvelope event, Delivery delivery) throws Exception;
}
