package outbox.dead;

import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import outbox.OutboxException;
import outbox.internal.check.Require;
import outbox.internal.text.StoredText;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.BlockedKey;
import outbox.spi.ConnectionProvider;
import outbox.spi.OrderedStore;
import outbox.spi.OutboxStore;

/**
 * Shows which aggregates are blocked because one of their events has failed, and unblocks them; see {@link outbox.dispatch.Ordering}. To
 * retry the event that they wait for, {@linkplain DeadEvents#replay replay} it. Thread-safe.
 */
public final class BlockedKeyManager {

    private final ConnectionProvider connectionProvider;
    private final OrderedStore store;
    private final Runnable afterDiscard;

    /**
     * Works on the given store.
     *
     * @throws IllegalArgumentException if the store does not keep order
     */
    public BlockedKeyManager(ConnectionProvider connectionProvider, OutboxStore outboxStore) {
        this(connectionProvider, outboxStore, () -> {});
    }

    /**
     * Works on the given store.
     *
     * @param afterDiscard called after a key was let go, so that its events are found soon
     * @throws IllegalArgumentException if the store does not keep order
     */
    public BlockedKeyManager(ConnectionProvider connectionProvider, OutboxStore outboxStore, Runnable afterDiscard) {
        this.afterDiscard = Objects.requireNonNull(afterDiscard, "afterDiscard");
        this.connectionProvider = Objects.requireNonNull(connectionProvider, "connectionProvider");
        OrderedStore ordered = outboxStore.ordered();
        if (ordered == null) {
            throw new IllegalArgumentException(outboxStore.getClass().getName() + " does not keep events in order");
        }
        this.store = ordered;
    }

    /**
     * The keys whose first unfinished event has failed, longest blocked first.
     *
     * @throws OutboxException if the database cannot be asked
     */
    public List<BlockedKey> query(int limit) {
        Require.atLeast(1, limit, "limit");
        return run("list blocked keys", conn -> store.blockedKeys(conn, limit));
    }

    /**
     * Lets a key go on without the DEAD event that holds it. The event stays DEAD.
     *
     * @return false if there is no such event or it holds no key
     * @throws OutboxException if the database cannot be asked
     */
    public boolean discard(String eventId) {
        Objects.requireNonNull(eventId, "eventId");
        boolean discarded = run("discard event " + eventId, conn -> store.letKeyGo(conn, eventId) > 0);
        if (discarded) {
            WaitingForDead.bringBack(connectionProvider, store, List.of(eventId));
            afterDiscard.run();
        }
        return discarded;
    }

    private <T> T run(String what, ShortTransaction.Work<T> work) {
        try {
            return ShortTransaction.run(connectionProvider, work);
        } catch (SQLException e) {
            throw new OutboxException("Cannot " + StoredText.inOneLine(what), e);
        }
    }
}
