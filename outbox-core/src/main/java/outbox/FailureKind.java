package outbox;

/** What a failure of a delivery means for the event. */
public enum FailureKind {

    /** Another attempt may succeed: it counts, and the retry policy says when. */
    TRANSIENT,

    /** No other attempt would change anything: the event is DEAD. */
    PERMANENT,

    /** The receiver is away, which is not the event's fault: the attempt does not count, and the breaker of the listener opens. */
    AWAY
}
