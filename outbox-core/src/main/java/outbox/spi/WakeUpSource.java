package outbox.spi;

/**
 * Hears from outside this process that there is something to poll, for instance through {@code LISTEN} of PostgreSQL. It only makes a
 * poll come sooner: what it misses, the poller finds after its interval.
 */
public interface WakeUpSource extends AutoCloseable {

    /** Begins to listen, on a thread of its own, and calls back whenever there may be something. Called once. */
    void start(Runnable wakeUp);

    /** Ends the thread. Harmless before the start and twice. The poller waits for a few seconds only. */
    @Override
    void close();
}
