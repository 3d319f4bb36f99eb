package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.EventEnvelope;
import outbox.dispatch.CompletionMode;
import outbox.dispatch.Ordering;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.it.Signals.Kind;
import outbox.model.EventStatus;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** Somebody has locked a few rows and forgotten about them: nothing but their own outcomes may wait for that. */
@Timeout(120)
abstract class LockedRowRecordingSuite {

    private static final int OTHERS = 50;

    private final Map<String, Integer> delivered = new ConcurrentHashMap<>();
    private final List<String> started = new ArrayList<>();
    private JdbcStoreFixture table;
    private HikariDataSource foreignPool;
    private Connection foreign;
    private Node node;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() throws SQLException {
        table = Tables.shipped(database(), "outbox_event");
        foreignPool = database().newPool(2, false);
        foreign = foreignPool.getConnection();
    }

    @AfterEach
    void stop() throws SQLException {
        foreign.rollback();
        foreign.close();
        if (node != null) {
            node.close();
        }
        foreignPool.close();
    }

    private void start(CompletionMode mode, boolean leased, Ordering ordering) {
        node = new Node(
                database().pool(),
                table.store(),
                dispatcher -> settings(dispatcher, mode, ordering),
                poller -> leased ? poller.claimLocking(Duration.ofMinutes(5)) : poller);
        node.listeners.register("Paid", this::deliver);
        node.poller.start();
    }

    private static OutboxDispatcher.Builder settings(
            OutboxDispatcher.Builder dispatcher, CompletionMode mode, Ordering ordering) {
        return dispatcher.completionMode(mode).ordering(ordering).maxAttempts(2);
    }

    /** A listener that leaves its row locked by somebody else, and fails once or always if its id says so. */
    private void deliver(EventEnvelope event) throws SQLException {
        String id = event.eventId();
        synchronized (started) {
            started.add(id);
        }
        int times = delivered.merge(id, 1, Integer::sum);
        if (id.startsWith("locked") && times == 1) {
            lock(id);
        }
        if (id.endsWith("dead") || (id.endsWith("retry") && times == 1)) {
            throw new IllegalStateException("failed on purpose");
        }
    }

    private synchronized void lock(String id) throws SQLException {
        JdbcTemplate.query(
                foreign,
                "SELECT event_id FROM outbox_event WHERE event_id = ? FOR UPDATE",
                row -> row.getString(1),
                id);
    }

    private static EventEnvelope event(String id, String key) {
        return EventEnvelope.builder("Paid")
                .eventId(id)
                .aggregateId(key)
                .payloadJson("{}")
                .build();
    }

    private static List<EventEnvelope> events(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> event(prefix + i, null)).toList();
    }

    private void commit(List<EventEnvelope> events) throws SQLException {
        node.commit(events.toArray(EventEnvelope[]::new));
    }

    private EventStatus status(String id) throws SQLException {
        return table.find(id) == null ? null : table.find(id).status();
    }

    @ParameterizedTest(name = "{0}, leased: {1}")
    @CsvSource({"MARK_DONE, false", "MARK_DONE, true", "DELETE, false", "DELETE, true"})
    void outcomes_of_other_rows_are_recorded_meanwhile_and_that_of_the_locked_row_as_soon_as_it_is_free(
            CompletionMode mode, boolean leased) throws Exception {
        start(mode, leased, Ordering.NONE);
        EventStatus end = mode == CompletionMode.DELETE ? null : EventStatus.DONE;
        List<EventEnvelope> mixed = new ArrayList<>(events("before-", OTHERS / 2));
        for (String id : List.of("locked", "locked-retry", "free-retry", "free-dead")) {
            mixed.add(mixed.size() / 2, event(id, null));
        }
        commit(mixed);
        commit(events("after-", OTHERS / 2));

        node.signals.await(Kind.SUCCESS, OTHERS + 1);
        node.signals.await(Kind.DEAD, 1);
        assertThat(status("before-0")).isEqualTo(end);
        assertThat(status("after-0")).isEqualTo(end);
        assertThat(status("free-retry")).isEqualTo(end);
        assertThat(status("free-dead")).isEqualTo(EventStatus.DEAD);
        assertThat(status("locked")).isEqualTo(EventStatus.NEW);
        assertThat(status("locked-retry")).isEqualTo(EventStatus.NEW);

        foreign.rollback();
        node.signals.await(Kind.SUCCESS, OTHERS + 3);
        assertThat(status("locked")).isEqualTo(end);
        assertThat(status("locked-retry")).isEqualTo(end);
        assertThat(delivered)
                .containsEntry("locked-retry", 2)
                .containsEntry("free-retry", 2)
                .containsEntry("free-dead", 2)
                .hasSize(OTHERS + 4);
        delivered.keySet().removeAll(List.of("locked-retry", "free-retry", "free-dead"));
        assertThat(delivered.values()).containsOnly(1);
    }

    @Test
    void what_follows_a_locked_row_in_order_waits_for_it_and_other_keys_do_not() throws Exception {
        start(CompletionMode.MARK_DONE, true, Ordering.PER_AGGREGATE);
        commit(List.of(event("locked", "k"), event("follower", "k"), event("other", "o"), event("next", "o")));
        commit(events("keyless-", 5));

        node.signals.await(Kind.SUCCESS, 7);
        assertThat(status("follower")).isEqualTo(EventStatus.NEW);
        assertThat(delivered).doesNotContainKey("follower").containsKeys("other", "next");

        foreign.rollback();
        node.signals.await(Kind.SUCCESS, 9);
        assertThat(status("follower")).isEqualTo(EventStatus.DONE);
        assertThat(delivered.values()).containsOnly(1);
        assertThat(started).containsSubsequence("locked", "follower");
    }

    @Test
    void a_row_that_is_gone_is_not_taken_for_locked_and_what_is_locked_is_told() throws Exception {
        try (Connection conn = foreignPool.getConnection()) {
            table.store().insertBatch(conn, List.of(event("free", null), event("locked", null)));
            conn.commit();
            lock("locked");

            assertThat(table.store().canSkipLocked(conn)).isTrue();
            assertThat(table.store().lockOrSkip(conn, List.of("free", "gone", "locked")))
                    .containsExactly("locked");
            assertThat(table.store().lockOrSkip(conn, List.of())).isEmpty();
            foreign.rollback();
            assertThat(table.store().lockOrSkip(conn, List.of("free", "gone", "locked")))
                    .isEmpty();
            conn.rollback();
        }
    }
}
