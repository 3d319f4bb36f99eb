package outbox.dead;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.internal.check.Require;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.text.StoredText;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.OutboxStore;

/**
 * Finds DEAD events and replays them. Thread-safe. If the database fails, the failure is logged and the answer is that nothing was found
 * or replayed, so do not judge the health of anything by it: {@link DeadEvents} throws instead.
 */
public final class DeadEventManager {

    private static final Logger LOG = SafeLog.of(DeadEventManager.class);

    private static final int FAILED = -1;

    private final DeadRows rows;

    /** Works on the given store. */
    public DeadEventManager(ConnectionProvider connectionProvider, OutboxStore outboxStore) {
        this.rows = new DeadRows(connectionProvider, outboxStore);
    }

    /** Finds DEAD events, oldest first; null filters match everything. */
    public List<OutboxEvent> query(@Nullable String eventType, @Nullable String aggregateType, int limit) {
        Require.atLeast(1, limit, "limit");
        return attempt("query dead events", List.of(), () -> rows.query(eventType, aggregateType, limit));
    }

    /** Makes one DEAD event NEW again; false if it is not there or not DEAD. */
    public boolean replay(String eventId) {
        Objects.requireNonNull(eventId, "eventId");
        return attempt("replay event " + eventId, FAILED, () -> rows.replay(List.of(eventId))) > 0;
    }

    /**
     * Makes all matching DEAD events NEW again, each batch in a transaction of its own. An event that ends DEAD again in the meantime is
     * not replayed a second time, so the call always ends.
     *
     * @return how many were replayed
     */
    public int replayAll(@Nullable String eventType, @Nullable String aggregateType, int batchSize) {
        Require.atLeast(1, batchSize, "batchSize");
        return DeadRows.replayAll(batchSize, new DeadRows.Guard<RuntimeException>() {
            @Override
            public List<OutboxEvent> query(int limit) {
                return DeadEventManager.this.query(eventType, aggregateType, limit);
            }

            @Override
            public int replay(List<String> eventIds) {
                return attempt("replay dead events", FAILED, () -> rows.replay(eventIds));
            }
        });
    }

    /** Counts DEAD events, of one type or (null) of all. */
    public int count(@Nullable String eventType) {
        return attempt("count dead events", 0, () -> rows.count(eventType));
    }

    private interface Work<T> {
        T run() throws SQLException;
    }

    private static <T> T attempt(String what, T otherwise, Work<T> work) {
        try {
            return work.run();
        } catch (UnsupportedOperationException e) {
            throw e; // the store does not support this at all: "nothing found" would be wrong
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.ERROR, "Cannot " + StoredText.inOneLine(what), LoggedError.of(e));
            return otherwise;
        }
    }
}
