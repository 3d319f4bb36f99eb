package outbox.dead;

import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.OutboxException;
import outbox.internal.check.Require;
import outbox.internal.text.StoredText;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.OutboxStore;

/**
 * Finds the DEAD events of an outbox and replays them. Thread-safe. If the database fails it throws, so that nobody takes "cannot tell" for
 * "nothing there"; {@link DeadEventManager} answers that nothing was found instead.
 */
public final class DeadEvents {

    private final DeadRows rows;
    private final Runnable afterReplay;

    /**
     * Works on the given store.
     *
     * @param afterReplay called after something was replayed, so that it is found soon
     */
    public DeadEvents(ConnectionProvider connectionProvider, OutboxStore outboxStore, Runnable afterReplay) {
        this.rows = new DeadRows(connectionProvider, outboxStore);
        this.afterReplay = Objects.requireNonNull(afterReplay, "afterReplay");
    }

    /**
     * Finds DEAD events, oldest first; null filters match everything.
     *
     * @throws OutboxException if the database cannot be asked
     */
    public List<OutboxEvent> query(@Nullable String eventType, @Nullable String aggregateType, int limit) {
        Require.atLeast(1, limit, "limit");
        return run("query dead events", () -> rows.query(eventType, aggregateType, limit));
    }

    /**
     * Counts DEAD events, of one type or (null) of all.
     *
     * @throws OutboxException if the database cannot be asked
     */
    public int count(@Nullable String eventType) {
        return run("count dead events", () -> rows.count(eventType));
    }

    /**
     * Makes one DEAD event NEW again; it is delivered soon.
     *
     * @return false if it is not there or not DEAD
     * @throws OutboxException if the database cannot be asked; the event may have been replayed all the same
     */
    public boolean replay(String eventId) {
        Objects.requireNonNull(eventId, "eventId");
        return replayed("replay event " + eventId, List.of(eventId)) > 0;
    }

    /**
     * Makes all matching DEAD events NEW again, each batch in a transaction of its own; they are delivered soon. An event that ends DEAD again
     * in the meantime is not replayed a second time, so the call always ends.
     *
     * @return how many were replayed
     * @throws OutboxException if the database cannot be asked; earlier batches stay replayed
     */
    public int replayAll(@Nullable String eventType, @Nullable String aggregateType, int batchSize) {
        Require.atLeast(1, batchSize, "batchSize");
        return DeadRows.replayAll(batchSize, new DeadRows.Guard<RuntimeException>() {
            @Override
            public List<OutboxEvent> query(int limit) {
                return DeadEvents.this.query(eventType, aggregateType, limit);
            }

            @Override
            public int replay(List<String> eventIds) {
                return replayed("replay dead events", eventIds);
            }
        });
    }

    private int replayed(String what, List<String> eventIds) {
        int replayed = run(what, () -> rows.replay(eventIds));
        if (replayed > 0) {
            afterReplay.run();
        }
        return replayed;
    }

    private interface Work<T> {
        T run() throws SQLException;
    }

    private static <T> T run(String what, Work<T> work) {
        try {
            return work.run();
        } catch (SQLException e) {
            throw new OutboxException("Cannot " + StoredText.inOneLine(what), e);
        }
    }
}
