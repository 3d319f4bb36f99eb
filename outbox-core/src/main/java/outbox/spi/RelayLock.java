package outbox.spi;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Decides which of several processes is the active one, for as long as that process can prove it. An instance belongs to one poller;
 * thread-safe.
 *
 * <p>A lock is tied to a connection or to a lease, so that the database frees it when its holder is gone.
 */
public interface RelayLock extends AutoCloseable {

    /**
     * Whether this process is the active one. If it was not, tries to become it, without waiting; if it was, asks the database whether
     * it still is. Asking again never takes the lock a second time.
     *
     * @throws SQLException if the database does not answer; then this process is not the active one
     */
    boolean tryHold() throws SQLException;

    /**
     * Where the connection comes from that the active process keeps for this lock; see {@link ConnectionProvider#source()}. Null, the default, if
     * it keeps none.
     */
    default @Nullable Object holdsConnectionOf() {
        return null;
    }

    /**
     * Lets another process become the active one at once. The lock can be taken again afterwards. Called on a thread of its own, while
     * another one may still be stuck in {@link #tryHold()} because the database does not answer; the poller waits for a few seconds only.
     */
    @Override
    void close();
}
