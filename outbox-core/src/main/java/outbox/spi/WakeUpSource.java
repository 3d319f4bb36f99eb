package outbox.spi;

import org.jspecify.annotations.Nullable;

/**
 * Learns from outside this process that there is something to poll, for example through PostgreSQL's {@code LISTEN}. It only makes a poll
 * come sooner: what it misses, the poller finds after its interval.
 */
public interface WakeUpSource extends AutoCloseable {

    /** Starts to listen, on a thread of its own, and calls back whenever there may be something to poll. Called once. */
    void start(Runnable wakeUp);

    /**
     * Where the connection comes from that it keeps to listen on; see {@link ConnectionProvider#source()}. Null, the default, if it keeps none.
     */
    default @Nullable Object holdsConnectionOf() {
        return null;
    }

    /** Stops listening. Harmless before the start and when called twice. The poller waits for a few seconds only. */
    @Override
    void close();
}
