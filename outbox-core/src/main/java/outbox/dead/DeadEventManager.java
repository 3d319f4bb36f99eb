package outbox.dead;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.internal.Require;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.OrderedStore;
import outbox.spi.OutboxStore;

/**
 * Finds DEAD events and replays them. Thread-safe. If the database fails, the failure is logged and the answer is that nothing was found
 * or replayed.
 */
public final class DeadEventManager {

    private static final Logger LOG = SafeLog.of(DeadEventManager.class);

    private static final int FAILED = -1;

    private final ConnectionProvider connectionProvider;
    private final OutboxStore outboxStore;

    /** Works on the given store. */
    public DeadEventManager(ConnectionProvider connectionProvider, OutboxStore outboxStore) {
        this.connectionProvider = Objects.requireNonNull(connectionProvider, "connectionProvider");
        this.outboxStore = Objects.requireNonNull(outboxStore, "outboxStore");
    }

    /** Finds DEAD events, oldest first; null filters match everything. */
    public List<OutboxEvent> query(@Nullable String eventType, @Nullable String aggregateType, int limit) {
        Require.atLeast(1, limit, "limit");
        return attempt(
                "query dead events", List.of(), conn -> outboxStore.queryDead(conn, eventType, aggregateType, limit));
    }

    /** Makes one DEAD event NEW again; false if it is not there or not DEAD. */
    public boolean replay(String eventId) {
        Objects.requireNonNull(eventId, "eventId");
        return replayed("replay event " + eventId, List.of(eventId)) > 0;
    }

    /**
     * Makes all matching DEAD events NEW again, each batch in a transaction of its own. An event that ends DEAD again in the meantime is
     * not replayed a second time, so the call always ends.
     *
     * @return how many were replayed
     */
    public int replayAll(@Nullable String eventType, @Nullable String aggregateType, int batchSize) {
        Require.atLeast(1, batchSize, "batchSize");
        Set<String> seen = new HashSet<>();
        int total = 0;
        int diedAgain = 0;
        while (true) {
            int limit = (int) Math.min(Integer.MAX_VALUE, (long) batchSize + diedAgain);
            List<OutboxEvent> dead = query(eventType, aggregateType, limit);
            List<String> fresh =
                    dead.stream().map(OutboxEvent::eventId).filter(seen::add).toList();
            diedAgain = dead.size() - fresh.size();
            if (fresh.isEmpty() && dead.size() < limit) {
                return total;
            }
            int replayed = replayed("replay dead events", fresh);
            if (replayed == FAILED) {
                return total;
            }
            total += replayed;
        }
    }

    /** Replays the events in one transaction, and then lets be found what was put off because of them. */
    private int replayed(String what, List<String> eventIds) {
        Set<String> held = new HashSet<>();
        int replayed = attempt(
                what,
                FAILED,
                conn -> ShortTransaction.atomically(conn, transaction -> {
                    held.addAll(holdingKeys(transaction, eventIds));
                    return replay(transaction, eventIds);
                }));
        if (replayed > 0 && !held.isEmpty()) {
            attempt(
                    "bring back what waited for replayed events",
                    0,
                    conn -> ordered().bringBack(conn, held));
        }
        return replayed;
    }

    private Set<String> holdingKeys(Connection conn, List<String> eventIds) {
        return outboxStore.ordered() == null || eventIds.isEmpty()
                ? Set.of()
                : ordered().holdingKeys(conn, eventIds);
    }

    private OrderedStore ordered() {
        return Objects.requireNonNull(outboxStore.ordered());
    }

    /** Counts DEAD events, of one type or (null) of all. */
    public int count(@Nullable String eventType) {
        return attempt("count dead events", 0, conn -> outboxStore.countDead(conn, eventType));
    }

    private int replay(Connection conn, List<String> eventIds) {
        int replayed = 0;
        for (String eventId : eventIds) {
            replayed += outboxStore.replayDead(conn, eventId);
        }
        return replayed;
    }

    private <T> T attempt(String what, T otherwise, ShortTransaction.Work<T> work) {
        try {
            return ShortTransaction.run(connectionProvider, work);
        } catch (UnsupportedOperationException e) {
            throw e; // the store does not support this at all: "nothing found" would be wrong
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.ERROR, "Cannot " + what, LoggedError.of(e));
            return otherwise;
        }
    }
}
