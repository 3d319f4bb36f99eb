package outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.model.EventStatus;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualNanos;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.dispatch.Leases.NODE;
import static outbox.dispatch.Leases.TIMEOUT;
import static outbox.testsupport.Events.event;
import static outbox.testsupport.Events.hot;

/** A worker delivers only what is certainly ours, and what was taken over meanwhile is not counted as delivered. */
@Timeout(20)
class DispatchWorkerLeaseTest extends DispatchWorkerFixture {

    private final LeasingStore table = new LeasingStore(clock);
    private final ManualNanos nanos = new ManualNanos();

    @BeforeEach
    void hold() {
        leases = Leases.on(table.leases(), nanos);
        table.leases().insertLeased(null, List.of(event("a"), event("b")), NODE);
    }

    @Override
    CompletionWriter.Marks marks() {
        return new LeasedMarks(leases, table.leases(), CompletionMode.MARK_DONE, super.marks());
    }

    @Test
    void what_is_ours_is_delivered_and_done() {
        leases.claimed("a", 0, nanos.getAsLong());
        run(event -> delivered.add(event.eventId()), hot("a"));

        assertThat(delivered).containsExactly("a");
        assertThat(table.status("a")).isEqualTo(EventStatus.DONE);
        assertThat(metrics.success).hasValue(1);
        assertThat(leases.held("a")).isNull();
    }

    @Test
    void an_event_whose_lease_ran_out_while_it_waited_is_not_delivered_but_given_back() {
        leases.claimed("a", 0, nanos.getAsLong());
        nanos.advance(TIMEOUT);
        leases.claimed("b", 0, nanos.getAsLong());
        run(event -> delivered.add(event.eventId()), hot("a"), hot("b"));
        leases.releaseGivenBack();

        assertThat(delivered).containsExactly("b");
        assertThat(table.leaseCalls())
                .containsExactly(
                        "lease.insert node-1 [a, b]", "lease.markDone node-1 [b@0]", "lease.release node-1 [a]");
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(log.at(Level.WARNING)).hasSize(1).first().asString().contains("The lease of", "a", "has run out");
    }

    @Test
    void an_event_that_was_lost_while_it_waited_is_not_delivered() {
        leases.claimed("a", 0, nanos.getAsLong());
        table.takeOver("a", "node-2");
        nanos.advance(TIMEOUT.dividedBy(2));
        leases.renew();
        run(event -> delivered.add(event.eventId()), hot("a"));

        assertThat(delivered).isEmpty();
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(leases.held("a")).isNull();
        assertThat(table.lockedBy("a")).isEqualTo("node-2");
    }

    @Test
    void an_event_that_is_taken_over_while_it_runs_is_neither_done_nor_counted_as_success() {
        leases.claimed("a", 0, nanos.getAsLong());
        run(event -> table.takeOver("a", "node-2"), hot("a"));

        assertThat(table.status("a")).isEqualTo(EventStatus.NEW);
        assertThat(table.lockedBy("a")).isEqualTo("node-2");
        assertThat(metrics.success).hasValue(0);
        assertThat(metrics.tooLate).hasValue(1);
        assertThat(tracker.isFree("a")).isTrue();
    }

    @Test
    void a_leased_event_that_has_had_all_its_attempts_is_dead_without_another_and_keeps_its_error() {
        maxAttempts = 1;
        clock.advance(TIMEOUT.plusMillis(1));
        assertThat(table.leases().claim(null, NODE, TIMEOUT, Duration.ZERO, 1)).hasSize(1);
        leases.claimed("a", 1, nanos.getAsLong());
        run(event -> delivered.add(event.eventId()), hot("a", 1));

        assertThat(delivered).isEmpty();
        assertThat(table.status("a")).isEqualTo(EventStatus.DEAD);
        assertThat(table.error("a")).isEqualTo("Lease expired, owner node-1");
        assertThat(metrics.dead).hasValue(1);
    }

    @Test
    void a_leased_event_with_an_attempt_left_gets_it() {
        leases.claimed("a", maxAttempts - 1, nanos.getAsLong());
        run(event -> delivered.add(event.eventId()), hot("a", maxAttempts - 1));

        assertThat(delivered).containsExactly("a");
    }

    @Test
    void an_event_that_is_not_leased_is_delivered_whatever_its_attempts() {
        run(event -> delivered.add(event.eventId()), hot("not-leased", maxAttempts + 1));

        assertThat(delivered).containsExactly("not-leased");
        assertThat(store.groups()).containsExactly("markDoneAll [not-leased]");
    }

    @Test
    void an_event_that_was_interrupted_by_a_forced_stop_is_given_back() {
        leases.claimed("a", 0, nanos.getAsLong());
        run(
                event -> {
                    forcedStop.countDown();
                    throw new InterruptedException();
                },
                hot("a"));
        leases.releaseGivenBack();

        assertThat(table.leaseCalls()).last().isEqualTo("lease.release node-1 [a]");
        assertThat(table.attempts("a")).isZero();
    }
}
