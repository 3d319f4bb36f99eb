package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.SoftAssertions;
import outbox.AggregateType;
import outbox.dispatch.Ordering;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.it.MalformedRow.End;
import outbox.jdbc.it.PlainRows.Found;
import outbox.poller.OutboxPoller;

import static org.assertj.core.api.Assertions.assertThat;

/** Puts malformed rows among healthy ones, lets an application read them, and checks the end of all. */
final class AmongHealthyRows {

    /** What rows contain that must not be found in an error. */
    private static final String SECRET = "s3cret";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final TestedDatabase database;
    private final Mode mode;
    private final PlainRows table;

    AmongHealthyRows(TestedDatabase database, Mode mode, PlainRows table) {
        this.database = database;
        this.mode = mode;
        this.table = table;
    }

    /** How the table is read. */
    enum Mode {
        UNLOCKED,
        LEASED,
        ORDERED;

        End endOf(MalformedRow row) {
            return this == UNLOCKED ? row.unlocked() : row.leased();
        }

        OutboxDispatcher.Builder set(OutboxDispatcher.Builder dispatcher) {
            return this == ORDERED ? dispatcher.ordering(Ordering.PER_AGGREGATE) : dispatcher;
        }

        OutboxPoller.Builder set(OutboxPoller.Builder poller) {
            OutboxPoller.Builder inSmallSteps = poller.batchSize(4);
            return this == UNLOCKED ? inSmallSteps : inSmallSteps.claimLocking(Duration.ofMinutes(5));
        }
    }

    /** Inserts each row with a healthy one before it, one behind it and one of the same aggregate, and waits for the end of all. */
    void play(List<MalformedRow> rows) {
        Map<String, String> delivered = new ConcurrentHashMap<>();
        Map<String, AtomicInteger> deliveries = new ConcurrentHashMap<>();
        Map<String, Found> before;
        Map<String, End> ends = insert(rows);
        // Connections of its own: statements prepared for a table that has been replaced since would fail a poll.
        try (HikariDataSource pool = database.newPool(6, true);
                Node node = new Node(pool, table.fixture().store(), mode::set, mode::set)) {
            for (String aggregateType : List.of("Order", "", AggregateType.GLOBAL.name())) {
                node.listeners.register(aggregateType, "Placed", event -> {
                    delivered.put(event.eventId(), event.payloadJson());
                    deliveries
                            .computeIfAbsent(event.eventId(), id -> new AtomicInteger())
                            .incrementAndGet();
                });
            }
            before = table.all();
            node.poller.start();
            awaitPending(stillPending(ends, before));
            node.poller.poll(); // whoever could still be taken would be taken now
        }
        check(ends, before, table.all(), deliveries);
        rows.stream()
                .filter(row -> row.columns().containsKey("payload") && delivered.containsKey(row.id()))
                .forEach(row -> assertThat(table.text(delivered.get(row.id())))
                        .isEqualTo(row.columns().get("payload")));
    }

    private Map<String, End> insert(List<MalformedRow> rows) {
        Map<String, End> ends = new HashMap<>();
        for (int i = 0; i < rows.size(); i++) {
            MalformedRow row = rows.get(i);
            String time = String.format(Locale.ROOT, "2024-01-01 00:%02d:0", i);
            Map<String, String> malformed = table.healthy(row.id(), "key " + i, time + 2);
            malformed.putAll(row.columns());
            Map<String, String> follower = table.healthy("follower " + i, "key " + i, time + 3);
            follower.put("aggregate_type", malformed.get("aggregate_type"));
            follower.put("aggregate_id", malformed.get("aggregate_id"));
            table.insert(table.healthy("before " + i, "before " + i, time + 1));
            table.insert(malformed);
            table.insert(follower);
            table.insert(table.healthy("behind " + i, "behind " + i, time + 4));
            End end = mode.endOf(row);
            ends.put(row.id(), end);
            ends.put("before " + i, End.DELIVERED);
            ends.put("behind " + i, End.DELIVERED);
            ends.put("follower " + i, mode == Mode.ORDERED && end.holdsKey() ? End.WAITS : End.DELIVERED);
        }
        return ends;
    }

    private static int stillPending(Map<String, End> ends, Map<String, Found> rows) {
        return (int) ends.entrySet().stream()
                .filter(end -> end.getValue().status() == null)
                .filter(end -> List.of(0, 2).contains(rows.get(end.getKey()).status()))
                .count();
    }

    private void awaitPending(int wanted) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (table.pending() > wanted) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("More than " + wanted + " rows are still pending: " + table.all());
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    private static void check(
            Map<String, End> ends,
            Map<String, Found> before,
            Map<String, Found> after,
            Map<String, AtomicInteger> deliveries) {
        SoftAssertions soft = new SoftAssertions();
        ends.forEach((id, end) -> {
            Found row = after.get(id);
            if (end.status() == null) {
                soft.assertThat(row).as(id).isEqualTo(before.get(id));
            } else {
                soft.assertThat(row.status()).as(id).isEqualTo(end.status());
            }
            if (end.error() != null) {
                soft.assertThat(row.error()).as(id).contains(end.error()).doesNotContain(SECRET);
            }
            soft.assertThat(deliveries.getOrDefault(id, new AtomicInteger()))
                    .as("deliveries of %s", id)
                    .hasValue(end.deliveries());
        });
        soft.assertAll();
    }
}
