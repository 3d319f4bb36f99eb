package outbox.benchmarks.candidate;

/** What a participant is opened for. */
public enum Purpose {
    /** Write events that nobody delivers. */
    WRITE,
    /** Write events that are about to be delivered by the writing process, but deliver none. */
    WRITE_HOT,
    /** Write events that are due at once for a later {@link #DRAIN}, without delivering them. */
    BACKLOG,
    /** Deliver events as they are written. */
    DELIVER,
    /** Deliver what others have left in the table. */
    DRAIN,
    /** The same to a {@link RemoteReceiver}, with as many events under way as it allows. */
    DRAIN_TO_REMOTE,
    /** Handle events that arrive, each once in effect: not the sender's side of an outbox but the consumer's. */
    CONSUME,
    /** The same with a handler that is called once for all events of a transaction and does its work in one statement. */
    CONSUME_AT_ONCE
}
