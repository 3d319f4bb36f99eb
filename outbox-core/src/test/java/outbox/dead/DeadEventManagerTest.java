package outbox.dead;

import java.sql.Connection;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testsupport.Events.CREATED_AT;

@Timeout(20)
class DeadEventManagerTest {

    /** Its events die again the moment they are replayed. */
    private static final class HopelessStore extends RecordingStore {
        @Override
        public synchronized int replayDead(Connection conn, String eventId) {
            int replayed = super.replayDead(conn, eventId);
            markDead(conn, eventId, "again");
            return replayed;
        }
    }

    private final CapturedLog log = new CapturedLog();
    private final RecordingStore store = new RecordingStore();
    private final StubConnections connections = StubConnections.autoCommitting();
    private final DeadEventManager manager = new DeadEventManager(connections, store);

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void an_event_id_with_a_line_break_begins_no_line_in_log_or_message() {
        connections.failToOpen(4);
        assertThat(manager.replay("a\nSEVERE: forged")).isFalse();
        assertThat(log.at(Level.SEVERE)).containsExactly("Cannot replay event a\\nSEVERE: forged");

        assertThatThrownBy(() -> new DeadEvents(connections, store, () -> {}).replay("a\nSEVERE: forged"))
                .hasMessage("Cannot replay event a\\nSEVERE: forged");
    }

    @Test
    void a_query_filters_and_limits() {
        addDead(store, 3);
        store.add(new OutboxEvent("other", "OtherType", "Order", null, null, "{}", null, 0, CREATED_AT));
        store.markDead(null, "other", "error");

        assertThat(manager.query(null, null, 10)).hasSize(4);
        assertThat(manager.query(null, null, 2))
                .extracting(OutboxEvent::eventId)
                .containsExactly("e0", "e1");
        assertThat(manager.query("OtherType", null, 10))
                .extracting(OutboxEvent::eventId)
                .containsExactly("other");
        assertThat(manager.query("OtherType", "Nothing", 10)).isEmpty();
    }

    @Test
    void a_count_may_be_of_one_type() {
        addDead(store, 3);

        assertThat(manager.count(null)).isEqualTo(3);
        assertThat(manager.count("OtherType")).isZero();
    }

    @Test
    void a_replay_tells_whether_there_was_something_to_replay() {
        addDead(store, 1);

        assertThat(manager.replay("e0")).isTrue();
        assertThat(store.status("e0")).isEqualTo(EventStatus.NEW);
        assertThat(manager.replay("e0")).isFalse();
        assertThat(manager.replay("unknown")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 10, 25, 100, Integer.MAX_VALUE})
    void everything_is_replayed_whatever_the_batch_size(int batchSize) {
        addDead(store, 25);

        assertThat(manager.replayAll(null, null, batchSize)).isEqualTo(25);
        assertThat(store.count(EventStatus.NEW)).isEqualTo(25);
    }

    @Test
    void only_what_matches_is_replayed() {
        addDead(store, 2);
        store.add(new OutboxEvent("other", "OtherType", "Order", null, null, "{}", null, 0, CREATED_AT));
        store.markDead(null, "other", "error");

        assertThat(manager.replayAll("OtherType", "Order", 10)).isEqualTo(1);
        assertThat(store.count(EventStatus.DEAD)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 7, 100, Integer.MAX_VALUE})
    void events_that_die_again_at_once_are_replayed_once_each_and_hide_no_other(int batchSize) {
        HopelessStore hopeless = new HopelessStore();
        addDead(hopeless, 10);

        assertThat(new DeadEventManager(connections, hopeless).replayAll(null, null, batchSize))
                .isEqualTo(10);
        assertThat(hopeless.calls().stream().filter(call -> call.startsWith("replayDead")))
                .hasSize(10)
                .doesNotHaveDuplicates();
    }

    @Test
    void events_that_another_node_replays_first_do_not_end_the_call() {
        RecordingStore contested = new RecordingStore() {
            @Override
            public synchronized int replayDead(Connection conn, String eventId) {
                int replayed = super.replayDead(conn, eventId);
                return eventId.equals("e0") || eventId.equals("e1") ? 0 : replayed;
            }
        };
        addDead(contested, 4);

        assertThat(new DeadEventManager(connections, contested).replayAll(null, null, 2))
                .isEqualTo(2);
        assertThat(contested.count(EventStatus.DEAD)).isZero();
    }

    @Test
    void a_batch_is_one_transaction() {
        addDead(store, 3);
        manager.replayAll(null, null, 3);

        assertThat(connections.journal())
                .containsSubsequence("open", "autocommit=false", "commit", "autocommit=true", "close");
        assertThat(connections.journal().stream().filter("commit"::equals).count())
                .isLessThanOrEqualTo(2);
    }

    @Test
    void a_transactional_connection_is_committed() {
        StubConnections transactional = StubConnections.transactional();
        addDead(store, 1);

        assertThat(new DeadEventManager(transactional, store).replay("e0")).isTrue();
        assertThat(transactional.journal()).containsExactly("open", "commit", "close");
    }

    @Test
    void a_database_that_cannot_be_reached_is_logged_and_answered_with_nothing() {
        addDead(store, 2);
        connections.failToOpen(1_000);

        assertThat(manager.query(null, null, 10)).isEmpty();
        assertThat(manager.count(null)).isZero();
        assertThat(manager.replay("e0")).isFalse();
        assertThat(manager.replayAll(null, null, 10)).isZero();
        assertThat(log.at(Level.SEVERE))
                .contains("Cannot query dead events", "Cannot count dead events", "Cannot replay event e0");
    }

    @Test
    void a_store_that_fails_is_logged_and_answered_with_nothing() {
        addDead(store, 2);
        store.failWith(new IllegalStateException("broken"));

        assertThat(manager.query(null, null, 10)).isEmpty();
        assertThat(manager.count(null)).isZero();
        assertThat(manager.replay("e0")).isFalse();
        assertThat(manager.replayAll(null, null, 10)).isZero();
        assertThat(log.at(Level.SEVERE)).hasSizeGreaterThanOrEqualTo(4);
    }

    @Test
    void a_failure_half_way_ends_the_call_with_what_was_replayed() {
        RecordingStore failing = new RecordingStore() {
            @Override
            public synchronized int replayDead(Connection conn, String eventId) {
                if (eventId.equals("e5")) {
                    throw new IllegalStateException("database is away");
                }
                return super.replayDead(conn, eventId);
            }
        };
        addDead(failing, 10);

        assertThat(new DeadEventManager(connections, failing).replayAll(null, null, 2))
                .isEqualTo(4);
        assertThat(log.at(Level.SEVERE)).containsExactly("Cannot replay dead events");
    }

    @Test
    void nonsense_is_rejected() {
        for (int size : List.of(0, -1)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> manager.replayAll(null, null, size))
                    .withMessage("batchSize must be >= 1, was " + size);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> manager.query(null, null, size))
                    .withMessage("limit must be >= 1, was " + size);
        }
        assertThatNullPointerException().isThrownBy(() -> manager.replay(null));
        assertThatNullPointerException().isThrownBy(() -> new DeadEventManager(null, store));
        assertThatNullPointerException().isThrownBy(() -> new DeadEventManager(connections, null));
        assertThat(store.calls()).isEmpty();
    }

    private static void addDead(RecordingStore store, int events) {
        for (int i = 0; i < events; i++) {
            store.add("e" + i);
            store.markDead(null, "e" + i, "error");
        }
    }

    @Test
    void a_store_that_cannot_look_at_dead_events_says_so_instead_of_finding_none() {
        RecordingStore incapable = new RecordingStore() {
            @Override
            public synchronized int countDead(Connection conn, String eventType) {
                throw new UnsupportedOperationException("cannot count");
            }
        };

        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> new DeadEventManager(connections, incapable).count(null))
                .withMessage("cannot count");
    }
}
