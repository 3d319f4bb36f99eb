package outbox.dead;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.OrderedStore;
import outbox.spi.OutboxStore;

/** Finds DEAD events in the table and makes them NEW again; what the database says goes to the caller. */
final class DeadRows {

    private final ConnectionProvider connections;
    private final OutboxStore store;

    DeadRows(ConnectionProvider connections, OutboxStore store) {
        this.connections = Objects.requireNonNull(connections, "connectionProvider");
        this.store = Objects.requireNonNull(store, "outboxStore");
    }

    List<OutboxEvent> query(@Nullable String eventType, @Nullable String aggregateType, int limit) throws SQLException {
        return ShortTransaction.run(connections, conn -> store.queryDead(conn, eventType, aggregateType, limit));
    }

    int count(@Nullable String eventType) throws SQLException {
        return ShortTransaction.run(connections, conn -> store.countDead(conn, eventType));
    }

    /** Replays the events in one transaction, and then lets be found what was put off because of them. */
    int replay(List<String> eventIds) throws SQLException {
        Set<String> held = new HashSet<>();
        int replayed = ShortTransaction.run(
                connections,
                conn -> ShortTransaction.atomically(conn, transaction -> {
                    held.addAll(holdingKeys(transaction, eventIds));
                    return replay(transaction, eventIds);
                }));
        if (replayed > 0 && !held.isEmpty()) {
            WaitingForDead.bringBack(connections, ordered(), held);
        }
        return replayed;
    }

    private int replay(Connection conn, List<String> eventIds) {
        int replayed = 0;
        for (String eventId : eventIds) {
            replayed += store.replayDead(conn, eventId);
        }
        return replayed;
    }

    private Set<String> holdingKeys(Connection conn, List<String> eventIds) {
        return store.ordered() == null || eventIds.isEmpty()
                ? Set.of()
                : ordered().holdingKeys(conn, eventIds);
    }

    private OrderedStore ordered() {
        return Objects.requireNonNull(store.ordered());
    }

    /** What comes between the database and who asks for all. */
    interface Guard<E extends Exception> {

        List<OutboxEvent> query(int limit) throws E;

        /** Returns how many were replayed, or less than 0 to stop. */
        int replay(List<String> eventIds) throws E;
    }

    /**
     * Batch by batch. An event that ends DEAD again in the meantime is not replayed a second time, so this always ends.
     */
    static <E extends Exception> int replayAll(int batchSize, Guard<E> guard) throws E {
        Set<String> seen = new HashSet<>();
        int total = 0;
        int diedAgain = 0;
        while (true) {
            int limit = (int) Math.min(Integer.MAX_VALUE, (long) batchSize + diedAgain);
            List<OutboxEvent> dead = guard.query(limit);
            List<String> fresh =
                    dead.stream().map(OutboxEvent::eventId).filter(seen::add).toList();
            diedAgain = dead.size() - fresh.size();
            if (fresh.isEmpty() && dead.size() < limit) {
                return total;
            }
            int replayed = guard.replay(fresh);
            if (replayed < 0) {
                return total;
            }
            total += replayed;
        }
    }
}
