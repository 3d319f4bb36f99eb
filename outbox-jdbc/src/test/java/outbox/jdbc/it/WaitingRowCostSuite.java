package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.jdbc.TableName;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.AggregateKey;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What claims in order cost while a few events come and many others wait in the table: no more than twice of what they cost if these are finished.
 * Counted are rows, and on PostgreSQL blocks, which finished and dead rows cost as well. Each claim looks from the beginning, which is the
 * dearest way.
 */
abstract class WaitingRowCostSuite {

    private static final boolean LONG = "long".equals(System.getProperty("outbox.test.form"));
    private static final int CLAIMS = LONG ? 100 : 40;
    private static final int LIMIT = 100;
    private static final String TABLE = "waiting_outbox";
    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");

    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), TABLE);
    }

    @Test
    void followers_of_held_keys_cost_nothing() throws SQLException {
        int followers = LONG ? 300_000 : 3_000;

        assertCostsNothing(() -> {
            fill(10 + followers, i -> event("f" + i, "held" + i % 10, Duration.ZERO));
            hold(10);
        });
    }

    @Test
    void held_keys_cost_nothing() throws SQLException {
        int keys = LONG ? 100_000 : 1_000;

        assertCostsNothing(() -> {
            fill(keys, i -> event("h" + i, "held" + i, Duration.ZERO));
            hold(keys);
            fill(keys, i -> event("f" + i, "held" + i, Duration.ZERO));
        });
    }

    @Test
    void followers_of_an_event_that_is_not_due_cost_nothing() throws SQLException {
        int followers = LONG ? 300_000 : 3_000;

        assertCostsNothing(() -> {
            fill(1, i -> event("late", "late", Duration.ofHours(1)));
            fill(followers, i -> event("f" + i, "late", Duration.ZERO));
        });
    }

    @Test
    void events_that_are_not_due_cost_nothing() throws SQLException {
        int delayed = LONG ? 500_000 : 5_000;

        assertCostsNothing(() -> fill(delayed, i -> event("d" + i, "k" + i % 1_000, Duration.ofHours(1))));
    }

    /** The events that are there are held, as if their listeners had refused them. */
    private void hold(int events) {
        Tables.execute(
                database().pool(),
                "UPDATE " + TABLE + " SET status = 3, done_at = created_at, locked_by = '" + OrderedStore.KEY_HELD
                        + "' WHERE seq <= " + events);
    }

    private interface Filling {
        void run() throws SQLException;
    }

    private void assertCostsNothing(Filling filling) throws SQLException {
        filling.run();
        Tables.execute(
                database().pool(), "UPDATE " + TABLE + " SET status = 1, done_at = created_at, locked_by = NULL");
        long without = cost("finished");
        createTable();
        filling.run();
        long with = cost("waiting");

        System.out.printf(
                Locale.ROOT,
                "COST %s %d claims: %d without, %d with%n",
                database().store(TableName.of(TABLE)).name(),
                CLAIMS,
                without,
                with);
        assertThat(with).isLessThanOrEqualTo(2 * without);
    }

    /** What claims cost while an event comes with every other one of them. */
    private long cost(String name) throws SQLException {
        Tables.execute(database().pool(), database().analyze(TABLE));
        Claims claims = new Claims();
        try (Connection conn = database().pool().getConnection()) {
            claims.settle(conn);
            if (database() == TestedDatabase.POSTGRESQL) {
                // As the server does by itself a little later. Until then, what was put off has dead entries in the
                // index.
                Tables.execute(database().pool(), "VACUUM " + TABLE);
            }
            long cost = 0;
            for (int i = 0; i < CLAIMS; i++) {
                String id = name + i;
                if (i % 2 == 0) {
                    table.store().insertBatch(conn, List.of(event(id, id, Duration.ZERO)));
                }
                List<String> taken = new ArrayList<>();
                cost += looks(conn, counted -> taken.addAll(claims.claim(counted)));
                assertThat(taken).isEqualTo(i % 2 == 0 ? List.of(id) : List.of());
                table.store().leases().markDone(conn, "owner", taken);
            }
            return cost;
        }
    }

    private final class Claims {

        private OrderedStore.Claimed last;

        private List<String> claim(Connection conn) {
            last = table.store()
                    .ordered()
                    .claim(
                            conn,
                            new LeaseStore.ClaimRequest(
                                    "owner", Duration.ofMinutes(5), Duration.ZERO, LIMIT, LeaseStore.Start.BEGINNING),
                            List.<AggregateKey>of());
            return last.runs().stream()
                    .flatMap(run -> run.events().stream())
                    .map(taken -> taken.event().eventId())
                    .toList();
        }

        /** Claims until everything that must wait has been put off. */
        private void settle(Connection conn) {
            do {
                assertThat(claim(conn)).isEmpty();
            } while (last.othersWait());
        }
    }

    private long looks(Connection conn, RowsRead.Work work) throws SQLException {
        if (database() != TestedDatabase.POSTGRESQL) {
            return new RowsRead(database()).during(conn, work);
        }
        long before = blocks(conn);
        work.on(conn);
        return blocks(conn) - before;
    }

    private static long blocks(Connection conn) throws SQLException {
        try (Statement statement = conn.createStatement()) {
            statement.execute("SELECT pg_stat_force_next_flush()");
            try (ResultSet row = statement.executeQuery("SELECT heap_blks_read + heap_blks_hit + idx_blks_read"
                    + " + idx_blks_hit FROM pg_statio_user_tables WHERE relname = '" + TABLE + "'")) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private void fill(int count, IntFunction<EventEnvelope> event) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            for (int from = 0; from < count; from += 5_000) {
                List<EventEnvelope> events = new ArrayList<>();
                for (int i = from; i < Math.min(count, from + 5_000); i++) {
                    events.add(event.apply(i));
                }
                table.store().insertBatch(conn, events);
            }
        }
    }

    private static EventEnvelope event(String id, String key, Duration delay) {
        EventEnvelope.Builder event = EventEnvelope.builder("Tick")
                .eventId(id)
                .aggregateType("Clock")
                .aggregateId(key)
                .occurredAt(CREATED)
                .payloadJson("{}");
        return delay.isZero() ? event.build() : event.deliverAfter(delay).build();
    }
}
