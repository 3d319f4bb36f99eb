package outbox.poller;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.logging.Level;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.model.EventStatus;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.FailingMetrics;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static outbox.testsupport.Events.row;

/** Polls that lock what they find: nothing that was locked and not handed over may stay locked. */
class OutboxPollerClaimTest {

    private final CapturedLog log = new CapturedLog();
    private final RecordingStore store = new RecordingStore().add("a", "b", "c", "d");
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final StubConnections connections = StubConnections.autoCommitting();
    private final ManualClock clock = new ManualClock("2026-01-01T00:01:00Z");
    private final RecordingHandler handler = new RecordingHandler();

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void rows_are_claimed_for_the_owner_with_the_expiry_of_its_timeout() {
        builder().skipRecent(Duration.ofSeconds(1)).build().poll();

        assertThat(store.calls())
                .containsExactly("claimPending owner=node-1 now=2026-01-01T00:01:00Z"
                        + " expiry=2026-01-01T00:00:30Z skipRecent=PT1S limit=50");
        assertThat(handler.taken).containsExactly("a", "b", "c", "d");
        assertThat(store.lockedBy("a")).isEqualTo("node-1");
        assertThat(metrics.lags).containsExactly(60_000L);
    }

    @Test
    void no_more_is_locked_than_the_handler_has_room_for() {
        handler.capacity = 2;
        builder().build().poll();

        assertThat(store.lockedBy("b")).isEqualTo("node-1");
        assertThat(store.lockedBy("c")).isNull();
    }

    @Test
    void rows_that_the_handler_refused_are_released_with_all_that_follow() {
        handler.refuseFrom = "b";
        builder().build().poll();

        assertThat(store.calls()).hasSize(2).last().isEqualTo("releaseClaims owner=node-1 [b, c, d]");
        assertThat(store.lockedBy("a")).isEqualTo("node-1");
        assertThat(store.lockedBy("b")).isNull();
        assertThat(store.lockedBy("d")).isNull();
    }

    @Test
    void rows_are_released_when_the_handler_throws() {
        handler.failAt = "c";
        builder().build().poll();

        assertThat(store.calls()).hasSize(2).last().isEqualTo("releaseClaims owner=node-1 [c, d]");
        assertThat(log.at(Level.SEVERE)).hasSize(1);
    }

    @Test
    void rows_are_released_when_the_poller_is_closed_meanwhile() {
        OutboxPoller poller = builder().build();
        handler.onHandle = poller::close;
        poller.poll();

        assertThat(handler.taken).containsExactly("a");
        assertThat(store.calls()).hasSize(2).last().isEqualTo("releaseClaims owner=node-1 [b, c, d]");
    }

    @Test
    void rows_are_handed_over_although_the_exporter_throws() {
        builder().metrics(new FailingMetrics()).build().poll();

        assertThat(handler.taken).containsExactly("a", "b", "c", "d");
    }

    @Test
    void an_undecodable_row_is_dead_and_not_released() {
        store.add(row("a", "[]", 0));
        builder().build().poll();

        assertThat(store.status("a")).isEqualTo(EventStatus.DEAD);
        assertThat(store.lockedBy("a")).isNull();
        assertThat(handler.taken).containsExactly("b", "c", "d");
        assertThat(store.calls()).noneMatch(call -> call.startsWith("releaseClaims"));
    }

    @Test
    void when_everything_was_taken_nothing_is_released() {
        builder().build().poll();

        assertThat(store.calls()).hasSize(1);
    }

    @Test
    void a_release_that_fails_is_logged_as_a_warning() {
        RecordingStore failing = new RecordingStore() {
            @Override
            public synchronized int releaseClaims(Connection conn, String ownerId, Collection<String> eventIds) {
                throw new IllegalStateException("database is away");
            }
        };
        failing.add("a", "b");
        handler.refuseFrom = "a";
        builder().outboxStore(failing).build().poll();

        assertThat(log.at(Level.WARNING))
                .hasSize(1)
                .first()
                .asString()
                .contains("2 claimed event(s) of the outbox table could not be released");
        assertThat(log.at(Level.SEVERE)).isEmpty();
    }

    @Test
    void claim_and_release_are_committed_without_autocommit() {
        StubConnections transactional = StubConnections.transactional();
        handler.refuseFrom = "b";
        builder().connectionProvider(transactional).build().poll();

        assertThat(transactional.journal()).containsExactly("open", "commit", "close", "open", "commit", "close");
    }

    @Test
    void nonsense_is_rejected_at_the_call() {
        OutboxPoller.Builder builder = OutboxPoller.builder();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.claimLocking("x", Duration.ZERO))
                .withMessage("lockTimeout must be positive, was PT0S");
        assertThatIllegalArgumentException().isThrownBy(() -> builder.claimLocking("x", Duration.ofMillis(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.claimLocking(Duration.ZERO));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.claimLocking(" ", Duration.ofSeconds(1)))
                .withMessage("ownerId must not be empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.claimLocking("x".repeat(129), Duration.ofSeconds(1)))
                .withMessage("ownerId must be at most 128 characters, was 129");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.claimLocking("node\0", Duration.ofSeconds(1)))
                .withMessageStartingWith("ownerId must not contain U+0000");
        assertThat(builder.claimLocking("x".repeat(128), Duration.ofNanos(1))).isSameAs(builder);
    }

    @Test
    void a_generated_owner_is_different_each_time_and_fits_its_column() {
        Set<String> owners = new HashSet<>();
        Pattern owner = Pattern.compile("owner=(\\S+) ");
        for (int i = 0; i < 10; i++) {
            builder().claimLocking(Duration.ofSeconds(30)).build().poll();
            Matcher found = owner.matcher(store.calls().get(store.calls().size() - 1));
            assertThat(found.find()).isTrue();
            owners.add(found.group(1));
        }

        assertThat(owners)
                .hasSize(10)
                .allSatisfy(id -> assertThat(id)
                        .hasSizeLessThanOrEqualTo(128)
                        .doesNotStartWith(":")
                        .contains(":" + ProcessHandle.current().pid() + ":"));
    }

    private OutboxPoller.Builder builder() {
        return OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(handler)
                .metrics(metrics)
                .clock(clock)
                .claimLocking("node-1", Duration.ofSeconds(30));
    }
}
