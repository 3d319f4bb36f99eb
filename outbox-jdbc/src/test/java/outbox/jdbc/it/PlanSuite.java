package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.model.EventRoute;
import outbox.spi.LeaseStore;
import outbox.spi.PurgeRuns;
import outbox.spi.PurgeRuns.Expiry;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** Which way the databases go when most of the table is finished events. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class PlanSuite {

    private static final int FINISHED = 20_000;
    private static final int PENDING = 500;
    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant NOW = Instant.parse("2026-06-01T00:00:00Z");

    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeAll
    void fillTable() throws SQLException {
        table = Tables.shipped(database(), "plan_outbox");
        insert(0, FINISHED);
        Tables.execute(database().pool(), "UPDATE plan_outbox SET status = 1, done_at = created_at");
        insert(FINISHED, PENDING);
        Tables.execute(database().pool(), database().analyze("plan_outbox"));
    }

    private void insert(int from, int count) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            table.store()
                    .insertBatch(
                            conn,
                            IntStream.range(from, from + count)
                                    .mapToObj(i -> EventEnvelope.builder("Tick")
                                            .eventId(id(i))
                                            .occurredAt(CREATED.plusMillis(i))
                                            .payloadJson("{}")
                                            .build())
                                    .toList());
        }
    }

    private static String id(int number) {
        return String.format(Locale.ROOT, "e%06d", number);
    }

    private interface Work {
        void on(Connection conn) throws SQLException;
    }

    private List<String> plansOf(Work work) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            ExplainingConnection explaining = new ExplainingConnection(conn);
            work.on(explaining.connection());
            return explaining.plans().stream()
                    .map(plan -> plan.toLowerCase(Locale.ROOT))
                    .toList();
        }
    }

    @Test
    void a_poll_finds_pending_events_through_their_index() throws SQLException {
        List<String> plans = plansOf(conn -> table.store().pollPending(conn, NOW, Duration.ZERO, 100));

        assertThat(plans).hasSize(1).first().asString().contains("idx_plan_outbox_due");
    }

    @Test
    void a_backlog_is_counted_through_the_index_of_pending_events() throws SQLException {
        List<String> plans = plansOf(conn -> table.store().countBacklog(conn, 100));

        // H2 does not tell the plan of a query in FROM; it is the one of the polls, whose plan it tells.
        String used = database() == TestedDatabase.H2 ? "fetch first" : "idx_plan_outbox_due";
        assertThat(plans).hasSize(1).first().asString().contains(used);
    }

    @Test
    void dead_events_are_counted_through_the_index_of_finished_ones() throws SQLException {
        List<String> plans = plansOf(conn -> table.store().countDeadUpTo(conn, 100));

        // H2 does not tell the plan of a query in FROM.
        String used = database() == TestedDatabase.H2 ? "fetch first" : "idx_plan_outbox_finished";
        assertThat(plans).hasSize(1).first().asString().contains(used).doesNotContain("filesort", "seq scan");
    }

    @Test
    void a_look_at_the_table_is_one_statement_and_reads_no_more_than_its_limits() throws SQLException {
        List<String> plans = plansOf(conn -> table.store().overview(conn, 100, 100));
        assertThat(plans).hasSize(1).first().asString().doesNotContain("seq scan");

        try (Connection conn = database().pool().getConnection()) {
            long rows = new RowsRead(database())
                    .during(conn, counted -> table.store().overview(counted, 100, 100));
            assertThat(rows).isLessThan(1_000);
        }
    }

    @Test
    void a_claim_finds_pending_events_through_their_index() throws SQLException {
        List<String> plans = plansOf(conn -> table.store().claimPending(conn, "owner", NOW, NOW, Duration.ZERO, 100));

        assertThat(plans.get(0)).contains("idx_plan_outbox_due");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 2_000})
    void a_claim_of_leases_finds_pending_events_through_their_index(long skipRecentMillis) throws SQLException {
        List<String> plans = plansOf(conn -> table.store()
                .leases()
                .claim(conn, "owner", Duration.ofMinutes(5), Duration.ofMillis(skipRecentMillis), 100));

        assertThat(plans).hasSize(database().statementsPerClaim());
        assertThat(plans.get(0)).contains("idx_plan_outbox_due");
        assertThat(plans.subList(1, plans.size()))
                .allSatisfy(plan -> assertThat(plan).contains("primary").doesNotContain("tablescan"));
    }

    /** Without the mark it would look at everything that the others have taken. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_claim_from_a_mark_looks_at_nothing_before_it(boolean ordered) throws SQLException {
        LeaseStore.ClaimRequest fromMark = new LeaseStore.ClaimRequest(
                "owner",
                Duration.ofMinutes(5),
                Duration.ZERO,
                10,
                new LeaseStore.Start(positionOf(FINISHED + PENDING - 20), false));

        List<String> plans = plansOf(conn -> claimAndRelease(conn, fromMark, ordered));
        assertThat(plans.get(0)).contains("idx_plan_outbox_due");
        try (Connection conn = database().pool().getConnection()) {
            long rows = new RowsRead(database()).during(conn, counted -> claimAndRelease(counted, fromMark, ordered));
            assertThat(rows).isBetween(10L, 150L);
        }
    }

    /** Whether it must pass over some of them, or over all. */
    @ParameterizedTest
    @ValueSource(strings = {"Tock", "Tick"})
    void a_claim_that_leaves_kinds_of_events_out_goes_through_the_same_index(String leftOut) throws SQLException {
        LeaseStore.ClaimRequest request = new LeaseStore.ClaimRequest(
                "owner",
                Duration.ofMinutes(5),
                Duration.ZERO,
                10,
                LeaseStore.Start.BEGINNING,
                Set.of(
                        new EventRoute("__GLOBAL__", leftOut),
                        new EventRoute("Clock", "Tick"),
                        new EventRoute("a", "b")));

        List<String> plans = plansOf(conn -> {
            table.store().leases().claim(conn, request);
            table.store().ordered().claim(conn, request, List.of());
            table.store().pollPending(conn, NOW, Duration.ZERO, 10, request.leftOut());
        });
        assertThat(plans.get(0)).contains("idx_plan_outbox_due").doesNotContain("tablescan", "seq scan");
        assertThat(plans.get(plans.size() - 1)).contains("idx_plan_outbox_due");
        Tables.execute(database().pool(), "UPDATE plan_outbox SET locked_by = NULL, locked_at = NULL");
    }

    private void claimAndRelease(Connection conn, LeaseStore.ClaimRequest request, boolean ordered) {
        List<LeaseStore.Taken> taken = ordered
                ? table.store().ordered().claim(conn, request, List.of()).runs().stream()
                        .flatMap(run -> run.events().stream())
                        .toList()
                : table.store().leases().claim(conn, request).events();
        List<String> ids = taken.stream().map(one -> one.event().eventId()).toList();
        assertThat(ids).hasSize(10).first().isEqualTo(id(FINISHED + PENDING - 20));
        table.store().leases().release(conn, "owner", ids);
    }

    private static LeaseStore.Position positionOf(int number) {
        return new LeaseStore.Position(CREATED.plusMillis(number), id(number));
    }

    @Test
    void renewals_and_marks_of_leases_go_through_the_primary_key() throws SQLException {
        List<String> ids = IntStream.range(0, 200).mapToObj("e%06d"::formatted).toList();

        for (List<String> plans : List.of(
                plansOf(conn -> table.store().leases().renew(conn, "owner", ids)),
                plansOf(conn -> table.store().leases().markDone(conn, "owner", ids)),
                plansOf(conn -> table.store().leases().delete(conn, "owner", ids)))) {
            assertThat(plans.get(0)).containsPattern("primary|pkey").doesNotContain("tablescan", "seq scan");
        }
    }

    @Test
    void marks_of_a_group_go_through_the_primary_key() throws SQLException {
        List<String> ids = IntStream.range(0, 200).mapToObj("e%06d"::formatted).toList();

        assertThat(plansOf(conn -> table.store().markDoneAll(conn, ids)))
                .hasSize(1)
                .first()
                .asString()
                .containsPattern("primary|pkey")
                .doesNotContain("tablescan", "seq scan");
    }

    @Test
    void a_purge_finds_finished_events_through_their_index() throws SQLException {
        List<String> plans = plansOf(conn -> table.purger().purge(conn, CREATED.minusSeconds(1), 100));

        assertThat(plans)
                .as("DONE and DEAD, with and without an end")
                .hasSize(4)
                .allSatisfy(plan ->
                        assertThat(plan).contains("idx_plan_outbox_finished").doesNotContain("tablescan"));
        assertThat(plans.subList(0, 2)).as("in the order of the index").noneMatch(plan -> plan.contains("filesort"));
    }

    @Test
    void a_purge_goes_on_behind_what_it_has_seen_and_locks_and_deletes_through_the_primary_key() throws SQLException {
        PurgeRuns.Run run = table.purger().runs().begin(Expiry.of(NOW), null);
        run.next(database().pool()::getConnection, 100);
        List<String> plans = plansOf(conn -> run.next(() -> conn, 100));

        assertThat(plans).hasSize(3);
        assertThat(plans.get(0)).contains("idx_plan_outbox_finished").doesNotContain("filesort", "tablescan");
        assertThat(plans.subList(1, 3))
                .allSatisfy(plan ->
                        assertThat(plan).containsPattern("primary|pkey").doesNotContain("tablescan", "seq scan"));
    }
}
