package outbox.dispatch;

/** No listener is registered for the event; it ends DEAD without a retry. */
public class UnroutableEventException extends Exception {

    private static final long serialVersionUID = 1L;

    /** Whether the message consists of nothing but names, so that nothing in it need be masked. */
    private final boolean namesOnly;

    /** Creates the exception with a message that names the event's route. */
    public UnroutableEventException(String message) {
        this(message, false);
    }

    private UnroutableEventException(String message, boolean namesOnly) {
        super(message);
        this.namesOnly = namesOnly;
    }

    /** @param message has names of types, and nothing of the event's content */
    static UnroutableEventException ofNames(String message) {
        return new UnroutableEventException(message, true);
    }

    boolean hasNamesOnly() {
        return namesOnly;
    }
}
