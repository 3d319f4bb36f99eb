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
import java.util.stream.Stream;
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
 * What claims cost, in order where nothing else is said, while a few events come and many others wait in the table: no more than twice of what they cost if these are finished.
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

        assertCostsNothing(() -> fillHeldKeys(followers));
    }

    private void fillHeldKeys(int followers) throws SQLException {
        fill(10 + followers, i -> event("f" + i, "held" + i % 10, Duration.ZERO));
        hold(10);
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

    /** So many that PostgreSQL does not prefer to read the whole table, which it does while that is no more than some sixty blocks. */
    @Test
    void events_that_are_not_due_cost_unordered_claims_nothing() throws SQLException {
        int delayed = LONG ? 500_000 : 20_000;
        Filling filling = () -> fill(delayed, i -> event("d" + i, "k" + i % 1_000, Duration.ofHours(1)));

        Costs costs = costs(filling, new UnorderedClaims(), Server.HAS_CLEANED_UP);
        assertThat(costs.with).isLessThanOrEqualTo(2 * costs.without);
    }

    @Test
    void keys_whose_first_event_is_retried_cost_nothing() throws SQLException {
        int keys = LONG ? 100_000 : 1_000;

        assertCostsNothing(() -> {
            fill(keys, i -> event("r" + i, "retried" + i, Duration.ZERO));
            Tables.execute(
                    database().pool(),
                    "UPDATE " + TABLE + " SET status = 2, attempts = 1, last_error = 'refused',"
                            + " available_at = TIMESTAMP '2037-01-01 00:00:00'");
            fill(keys, i -> event("f" + i, "retried" + i, Duration.ZERO));
        });
    }

    /**
     * Reported, so that it is seen should it grow: what was put off has left dead entries in the index of PostgreSQL, which looks from the
     * beginning pass over until the server has cleaned up. Here each claim is such a look.
     */
    @Test
    void what_followers_of_held_keys_cost_before_the_server_has_cleaned_up_is_told() throws SQLException {
        Costs costs = costs(() -> fillHeldKeys(LONG ? 300_000 : 3_000), new OrderedClaims(), Server.IS_BEHIND);

        assertThat(costs.with).isPositive();
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

    /** Whether PostgreSQL has cleaned up behind what was put off, as it does by itself a little later. */
    private enum Server {
        HAS_CLEANED_UP,
        IS_BEHIND
    }

    /** Of the same claims, with so many events that wait, and with as many that are finished. */
    private record Costs(long without, long with) {}

    private void assertCostsNothing(Filling filling) throws SQLException {
        Costs costs = costs(filling, new OrderedClaims(), Server.HAS_CLEANED_UP);

        assertThat(costs.with).isLessThanOrEqualTo(2 * costs.without);
    }

    private Costs costs(Filling filling, Claims claims, Server server) throws SQLException {
        filling.run();
        Tables.execute(
                database().pool(), "UPDATE " + TABLE + " SET status = 1, done_at = created_at, locked_by = NULL");
        long without = cost("finished", claims, Server.HAS_CLEANED_UP);
        createTable();
        filling.run();
        long with = cost("waiting", claims, server);

        System.out.printf(
                Locale.ROOT,
                "COST %s %d %s, server %s: %d without, %d with%n",
                database().store(TableName.of(TABLE)).name(),
                CLAIMS,
                claims.getClass().getSimpleName(),
                server,
                without,
                with);
        return new Costs(without, with);
    }

    /** What claims cost while an event comes with every other one of them. */
    private long cost(String name, Claims claims, Server server) throws SQLException {
        Tables.execute(database().pool(), database().analyze(TABLE));
        try (Connection conn = database().pool().getConnection()) {
            claims.settle(conn);
            if (database() == TestedDatabase.POSTGRESQL && server == Server.HAS_CLEANED_UP) {
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

    private interface Claims {

        LeaseStore.ClaimRequest REQUEST = new LeaseStore.ClaimRequest(
                "owner", Duration.ofMinutes(5), Duration.ZERO, LIMIT, LeaseStore.Start.BEGINNING);

        List<String> claim(Connection conn);

        /** Claims until everything that must wait has been put off. */
        void settle(Connection conn);

        static List<String> ids(Stream<LeaseStore.Taken> taken) {
            return taken.map(one -> one.event().eventId()).toList();
        }
    }

    private final class OrderedClaims implements Claims {

        private OrderedStore.Claimed last;

        @Override
        public List<String> claim(Connection conn) {
            last = table.store().ordered().claim(conn, REQUEST, List.<AggregateKey>of());
            return Claims.ids(last.runs().stream().flatMap(run -> run.events().stream()));
        }

        @Override
        public void settle(Connection conn) {
            do {
                assertThat(claim(conn)).isEmpty();
            } while (last.othersWait());
        }
    }

    private final class UnorderedClaims implements Claims {

        @Override
        public List<String> claim(Connection conn) {
            return Claims.ids(table.store().leases().claim(conn, REQUEST).events().stream());
        }

        @Override
        public void settle(Connection conn) {
            assertThat(claim(conn)).isEmpty();
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
