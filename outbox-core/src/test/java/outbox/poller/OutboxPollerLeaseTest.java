package outbox.poller;

import java.time.Duration;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.model.EventStatus;
import outbox.spi.OutboxStore;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.row;

/** Polls of a store that has leases: by the clock of the database, and under the name that the handler wants. */
class OutboxPollerLeaseTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final CapturedLog log = new CapturedLog();
    private final ManualClock databaseClock = new ManualClock("2026-01-01T00:01:00Z");
    private final LeasingStore store = new LeasingStore(databaseClock);
    private final StubConnections connections = StubConnections.autoCommitting();
    private final RecordingHandler handler = new RecordingHandler();

    OutboxPollerLeaseTest() {
        store.add("a", "b", "c");
    }

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void rows_are_claimed_through_the_leases_of_the_store() {
        builder(store).skipRecent(Duration.ofSeconds(1)).build().poll();

        assertThat(store.calls()).containsExactly("lease.claim node-1 timeout=PT30S skipRecent=PT1S limit=50");
        assertThat(handler.claims).hasSize(1).first().asString().matches("node-1~[0-9a-f]{8} for PT30S");
        assertThat(handler.taken).containsExactly("a", "b", "c");
        assertThat(store.lockedBy("a")).isEqualTo("node-1");
    }

    @Test
    void a_lease_lasts_five_minutes_if_nothing_else_is_said() {
        builder(store).claimLocking("node-1", null).build().poll();
        builder(store).claimLocking((Duration) null).build();

        assertThat(handler.claims).hasSize(2).allMatch(claim -> claim.endsWith(" for PT5M"));
        assertThat(store.calls()).first().asString().contains("timeout=PT5M");
    }

    @Test
    void two_pollers_of_one_name_are_two_owners_and_a_long_name_is_cut_to_fit() {
        builder(store).build();
        builder(store).build();
        builder(store).claimLocking("x".repeat(128), TIMEOUT).build();

        assertThat(handler.claims).doesNotHaveDuplicates();
        assertThat(handler.claims.get(2)).startsWith("xxx").hasSizeLessThanOrEqualTo(128 + " for PT30S".length());
    }

    @Test
    void rows_are_claimed_and_released_under_the_name_that_the_handler_has() {
        handler.name = "the-dispatcher";
        handler.refuseFrom = "b";
        builder(store).build().poll();

        assertThat(store.calls())
                .containsExactly(
                        "lease.claim the-dispatcher timeout=PT30S skipRecent=PT0S limit=50",
                        "lease.release the-dispatcher [b, c]");
        assertThat(store.lockedBy("a")).isEqualTo("the-dispatcher");
        assertThat(store.lockedBy("b")).isNull();
    }

    @Test
    void a_store_without_leases_is_claimed_from_under_the_name_that_the_handler_has() {
        RecordingStore plain = new RecordingStore().add("a");
        handler.name = "the-dispatcher";
        builder(plain).build().poll();

        assertThat(plain.calls()).hasSize(1).first().asString().startsWith("claimPending owner=the-dispatcher ");
        assertThat(plain.lockedBy("a")).isEqualTo("the-dispatcher");
    }

    @Test
    void without_claim_locking_leases_are_not_used_and_the_handler_is_not_asked() {
        OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(handler)
                .build()
                .poll();

        assertThat(store.leaseCalls()).isEmpty();
        assertThat(handler.claims).isEmpty();
        assertThat(handler.taken).containsExactly("a", "b", "c");
    }

    @Test
    void what_another_process_holds_is_left_alone_until_its_lease_has_expired_and_then_counts_nothing() {
        store.leases().claim(null, "node-2", TIMEOUT, Duration.ZERO, 2);
        OutboxPoller poller = builder(store).build();
        poller.poll();
        assertThat(handler.taken).containsExactly("c");
        databaseClock.advance(TIMEOUT.plusMillis(1));
        handler.taken.clear();
        handler.attempts.clear();
        poller.poll();

        assertThat(handler.taken).containsExactly("a", "b", "c");
        assertThat(handler.attempts).containsExactly(0, 0, 0);
    }

    @Test
    void an_undecodable_row_is_dead_and_not_released() {
        store.add(row("a", "[]", 0));
        builder(store).build().poll();

        assertThat(store.status("a")).isEqualTo(EventStatus.DEAD);
        assertThat(handler.taken).containsExactly("b", "c");
        assertThat(store.calls()).noneMatch(call -> call.contains("release"));
        assertThat(log.at(Level.SEVERE)).hasSize(1);
    }

    private OutboxPoller.Builder builder(OutboxStore table) {
        return OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(table)
                .handler(handler)
                .claimLocking("node-1", TIMEOUT);
    }
}
