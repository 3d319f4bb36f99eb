package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.spi.CompactionStore;
import outbox.spi.CompactionStore.Line;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** What it makes the database look at to ask for newer events: what is pending in a key, whatever of it is done and whatever else waits. */
abstract class CompactionCostSuite {

    private static final int EVENTS = 12_000;
    private static final String NAME = "newest_cost_outbox";
    private static final int FEW = 80;

    abstract TestedDatabase database();

    private static EventEnvelope event(int number) {
        return EventEnvelope.builder("Price")
                .eventId(String.format(Locale.ROOT, "e%06d", number))
                .aggregateType("Article")
                .aggregateId(number % 2 == 0 ? "much" : "other" + number)
                .payloadJson("{}")
                .build();
    }

    private JdbcStoreFixture table() throws SQLException {
        JdbcStoreFixture table = Tables.shipped(database(), NAME);
        try (Connection conn = database().pool().getConnection()) {
            // Where an index on the number is optional it must not lead the optimizer astray either.
            if (Set.of(TestedDatabase.POSTGRESQL, TestedDatabase.H2).contains(database())) {
                OutboxSchema.create(conn, database().store(TableName.DEFAULT).name() + "-cursor", TableName.of(NAME));
            }
            Tables.execute(database().pool(), database().keepStatistics(NAME));
            for (int from = 0; from < EVENTS; from += 1_000) {
                table.store()
                        .insertBatch(
                                conn,
                                IntStream.range(from, from + 1_000)
                                        .mapToObj(CompactionCostSuite::event)
                                        .toList());
            }
        }
        Tables.execute(
                database().pool(),
                "UPDATE " + NAME
                        + " SET status = 1, done_at = created_at WHERE aggregate_id = 'much' AND event_id < 'e011994'",
                "UPDATE " + NAME + " SET available_at = created_at");
        if (database() == TestedDatabase.POSTGRESQL) {
            Tables.execute(database().pool(), database().analyze(NAME));
        }
        return table;
    }

    @Test
    void only_what_is_pending_in_the_key_is_looked_at() throws SQLException {
        CompactionStore store = table().store().compaction();
        List<String> pending = List.of("e011994", "e011996", "e011998");
        Line line = new Line("Article", "much", "Price");
        try (Connection conn = database().pool().getConnection()) {
            assertThat(store.places(conn, pending).values().stream().filter(CompactionStore.Place::superseded))
                    .hasSize(2);
            long asked = new RowsRead(database()).during(conn, counted -> store.places(counted, pending));
            assertThat(asked).isLessThan(FEW);
            // H2 executes what it explains.
            if (database() != TestedDatabase.H2) {
                long swept = new RowsRead(database()).during(conn, counted -> store.sweep(counted, line, true));
                assertThat(swept).isLessThan(FEW);
            }
        }
    }
}
