package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.AggregateKey;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a claim in order makes the database look at while a backlog is drained. MySQL and MariaDB believe that the table is empty, as they do for
 * some time after many inserts; PostgreSQL has looked once.
 */
abstract class OrderedClaimCostSuite {

    private static final int EVENTS = 12_000;
    private static final int CLAIM = 200;
    private static final int DONE_BEFORE = 6_000;

    /** Candidates, their keys' events, the locks and the updates, each a few times; far from the size of the table. */
    private static final int ROWS_PER_EVENT = 20;

    /** A claim that gets less than it asked for has looked at what it asked for. */
    private static final int ROWS_PER_WISH = 4;

    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");

    abstract TestedDatabase database();

    /** With an index on {@code seq} on every database: where it is optional it must not lead the optimizer astray either. */
    private JdbcStoreFixture table() throws SQLException {
        JdbcStoreFixture table = Tables.shipped(database(), "cost_outbox");
        if (Set.of(TestedDatabase.POSTGRESQL, TestedDatabase.H2).contains(database())) {
            try (Connection conn = database().pool().getConnection()) {
                OutboxSchema.create(
                        conn, database().store(TableName.DEFAULT).name() + "-cursor", TableName.of("cost_outbox"));
            }
        }
        Tables.execute(database().pool(), database().keepStatistics("cost_outbox"));
        return table;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 3_000})
    void a_claim_looks_at_no_more_than_it_takes_whatever_waits_and_is_done(int keys) throws SQLException {
        JdbcStoreFixture table = table();
        try (Connection conn = database().pool().getConnection()) {
            insert(conn, table, keys);
            if (database() == TestedDatabase.POSTGRESQL) {
                Tables.execute(database().pool(), database().analyze("cost_outbox"));
            }
            int inAClaim = Math.min(CLAIM, keys * OrderedStore.LONGEST_LINE);
            Poller poller = new Poller(table);
            poller.drain(conn, DONE_BEFORE / inAClaim);

            List<Integer> taken = new ArrayList<>();
            long rows = new RowsRead(database())
                    .during(conn, counted -> taken.add(poller.claim(counted).size()));

            assertThat(taken).containsExactly(inAClaim);
            assertThat(rows).isBetween((long) inAClaim, (long) ROWS_PER_EVENT * inAClaim + ROWS_PER_WISH * CLAIM);
        }
    }

    /** As the table is between two looks of the optimizer: it believes that everything waits, and all of it is done. */
    @Test
    void who_writes_passes_over_what_is_done() throws SQLException {
        JdbcStoreFixture table = table();
        List<EventEnvelope> late = List.of(event(EVENTS, 1));
        try (Connection conn = database().pool().getConnection()) {
            insert(conn, table, 1);
            if (database() == TestedDatabase.POSTGRESQL) {
                Tables.execute(database().pool(), database().analyze("cost_outbox"));
            }
            new Poller(table).drain(conn, EVENTS / OrderedStore.LONGEST_LINE);
            if (database() == TestedDatabase.H2) {
                // H2 executes what it explains, so the event would be written twice; it reads nothing for an insert.
                return;
            }

            long rows = new RowsRead(database())
                    .during(conn, counted -> table.store().ordered().insert(counted, late, "owner"));

            assertThat(rows).isLessThan(ROWS_PER_EVENT);
        }
    }

    private static EventEnvelope event(int number, int keys) {
        return EventEnvelope.builder("Tick")
                .eventId(String.format(Locale.ROOT, "e%06d", number))
                .aggregateType("Clock")
                .aggregateId("k" + number % keys)
                .occurredAt(CREATED.plusMillis(number))
                .payloadJson("{}")
                .build();
    }

    private static void insert(Connection conn, JdbcStoreFixture table, int keys) {
        for (int from = 0; from < EVENTS; from += 1_000) {
            table.store()
                    .insertBatch(
                            conn,
                            IntStream.range(from, from + 1_000)
                                    .mapToObj(i -> event(i, keys))
                                    .toList());
        }
    }

    /** Claims as a node does, which goes through the table from its old end and knows where it was. */
    private static final class Poller {

        private final JdbcStoreFixture table;
        private LeaseStore.Start start = LeaseStore.Start.BEGINNING;
        private List<AggregateKey> left = List.of();

        private Poller(JdbcStoreFixture table) {
            this.table = table;
        }

        private void drain(Connection conn, int claims) {
            for (int i = 0; i < claims; i++) {
                List<String> held =
                        claim(conn).stream().map(OutboxEvent::eventId).toList();
                assertThat(table.store().leases().markDone(conn, "owner", held)).isEmpty();
            }
        }

        private List<OutboxEvent> claim(Connection conn) {
            OrderedStore.Claimed claimed = table.store()
                    .ordered()
                    .claim(
                            conn,
                            new LeaseStore.ClaimRequest("owner", Duration.ofMinutes(5), Duration.ZERO, CLAIM, start),
                            left);
            if (claimed.next() != null) {
                start = new LeaseStore.Start(claimed.next(), false);
            }
            left = claimed.runs().stream()
                    .filter(OrderedStore.Run::more)
                    .map(run -> run.events().get(0).event())
                    .map(event -> new AggregateKey(event.aggregateType(), event.aggregateId()))
                    .toList();
            return claimed.runs().stream()
                    .flatMap(run -> run.events().stream())
                    .map(LeaseStore.Taken::event)
                    .toList();
        }
    }
}
