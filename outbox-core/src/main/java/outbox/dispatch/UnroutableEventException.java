package outbox.dispatch;

import outbox.EventEnvelope;

/** No listener is registered for the event; it ends DEAD without a retry. */
public class UnroutableEventException extends Exception {

    private static final long serialVersionUID = 1L;

    /** Creates the exception with a message that names the event's route. */
    public UnroutableEventException(String message) {
        super(message);
    }

    static UnroutableEventException noListenerFor(EventEnvelope event) {
        return new UnroutableEventException("No listener for aggregate type \"" + event.aggregateType()
                + "\" and event type \"" + event.eventType() + "\"; register one and replay the event");
    }
}
