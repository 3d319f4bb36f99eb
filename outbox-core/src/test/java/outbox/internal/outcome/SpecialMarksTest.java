package outbox.internal.outcome;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.DeadEvent;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent;
import outbox.internal.dead.DeathNotice;
import outbox.internal.dead.Deaths;
import outbox.internal.lease.LeaseBook;
import outbox.internal.lease.TestLeases;
import outbox.internal.text.EventNames;
import outbox.model.EventStatus;
import outbox.spi.CompactionStore;
import outbox.spi.LeaseStore;
import outbox.testsupport.CompactedRows;
import outbox.testsupport.Events;
import outbox.testsupport.KeyedEvents;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static outbox.internal.outcome.Completions.DELAY;
import static outbox.internal.outcome.Completions.NEXT_AT;
import static outbox.internal.outcome.Completions.dead;
import static outbox.internal.outcome.Completions.done;
import static outbox.internal.outcome.Completions.retry;
import static outbox.testsupport.Events.hot;
import static outbox.testsupport.KeyedEvents.keyed;

/** {@link StoreMarks} of events of whose end somebody is told, and of those of which only the newest matters. */
class SpecialMarksTest {

    /** A table with leases and compaction. */
    private static final class CompactingStore extends LeasingStore {
        private final CompactionStore compaction;

        private CompactingStore(ManualClock clock, CompactionStore compaction) {
            super(clock);
            this.compaction = compaction;
        }

        @Override
        public CompactionStore compaction() {
            return compaction;
        }
    }

    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final CompactedRows rows = new CompactedRows();
    private final LeasingStore store = new CompactingStore(clock, rows);
    private final LeaseBook leases = TestLeases.on(new ManualNanos());
    private final List<DeadEvent> told = new ArrayList<>();
    private final StubConnections connections = StubConnections.transactional();
    private Connection conn;

    @BeforeEach
    void open() throws Exception {
        conn = connections.getConnection();
    }

    private void lease(String id, String key) {
        store.leases().insertLeased(conn, List.of(keyed(id, key)), TestLeases.NODE);
        rows.add(keyed(id, key));
        rows.lease(id);
        leases.claimed(id, null, leases.now(), true);
    }

    private StoreMarks marks() {
        Deaths deaths = Deaths.told(store, (dead, connection) -> told.add(dead), clock);
        return new StoreMarks(
                store,
                leases::ownerId,
                false,
                CompletionWriter.TIME_LIMIT,
                new StoreMarks.Special(deaths, completion -> completion.aggregateId() != null));
    }

    private List<Completion> held(Completion... group) {
        return Stream.of(group)
                .map(completion -> completion.under(leases.holdOn(completion.eventId())))
                .toList();
    }

    private Set<String> write(Completion... group) {
        return marks().write(conn, held(group));
    }

    private static Completion keyedEnd(String id, int attempts, Verdict outcome) {
        return Completions.of(new QueuedEvent(keyed(id, "1"), QueuedEvent.Source.HOT, attempts), outcome);
    }

    private List<String> leaseMarks() {
        return store.leaseCalls().stream()
                .filter(call -> call.startsWith("lease.mark"))
                .toList();
    }

    private List<String> toldIds() {
        return told.stream().map(DeadEvent::eventId).toList();
    }

    @Test
    void superseded_events_say_so_in_their_rows_and_those_that_another_process_has_are_passed_up() {
        lease("a", "1");
        lease("b", "1");
        rows.markRetry(conn, "node-2", List.of(new LeaseStore.HeldRetry("b", 1, DELAY, "taken over")));
        Set<String> late = write(keyedEnd("a", 0, Verdict.SUPERSEDED), keyedEnd("b", 0, Verdict.SUPERSEDED));

        assertThat(late).containsExactly("b");
        assertThat(rows.calls()).last().isEqualTo("markSuperseded node-1 [a, b]");
        assertThat(leaseMarks()).isEmpty();
    }

    @Test
    void a_superseded_event_without_a_lease_stays_as_it_is() {
        store.add(KeyedEvents.rowOf("1", "a"));

        assertThat(write(keyedEnd("a", 0, Verdict.SUPERSEDED))).isEmpty();
        assertThat(rows.calls()).isEmpty();
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
    }

    @Test
    void repeated_events_of_which_the_newest_matters_go_on_to_say_so_and_only_failures_count_as_attempts() {
        lease("a", "1");
        lease("b", "1");
        lease("c", "1");
        store.leases().insertLeased(conn, List.of(Events.event("d")), TestLeases.NODE);
        leases.claimed("d", null, leases.now(), true);
        rows.markRetry(conn, "node-2", List.of(new LeaseStore.HeldRetry("c", 1, DELAY, "taken over")));
        Set<String> late = write(
                keyedEnd("a", 3, new Verdict.Retry(NEXT_AT, DELAY, "failed")),
                keyedEnd("b", 3, new Verdict.Later(NEXT_AT, DELAY, "busy")),
                keyedEnd("c", 0, new Verdict.Retry(NEXT_AT, DELAY, "failed")),
                retry("d"));

        assertThat(rows.calls()).last().isEqualTo("markRetry node-1 a after 4, b after 3, c after 1");
        assertThat(leaseMarks()).containsExactly("lease.markRetry node-1 [d]");
        assertThat(late).containsExactly("c");
    }

    @Test
    void an_outcome_of_an_earlier_lease_is_too_late_for_all_of_them() {
        lease("a", "1");
        lease("b", "1");
        List<Completion> before = held(keyedEnd("a", 0, Verdict.SUPERSEDED), dead("b"));
        leases.forget("a");
        leases.forget("b");

        assertThat(marks().write(conn, before)).containsExactlyInAnyOrder("a", "b");
        assertThat(rows.calls()).isEmpty();
        assertThat(leaseMarks()).isEmpty();
        assertThat(told).isEmpty();
    }

    @Test
    void somebody_is_told_of_the_end_of_a_leased_event_but_not_of_one_that_another_process_has() {
        lease("a", "1");
        lease("b", "2");
        store.takeOver("b", "node-2");

        assertThat(write(dead("a"), dead("b"), done("c"))).containsExactly("b");
        assertThat(toldIds()).containsExactly("a");
        assertThat(store.status("a")).isEqualTo(EventStatus.DEAD);
    }

    @Test
    void what_is_told_is_the_event_its_error_how_often_it_was_tried_and_when_it_died() {
        lease("a", "1");
        Verdict end = new Verdict.Dead("java.io.IOException: no", true);
        marks().write(conn, held(Completion.of(keyed("a", "1"), true, 2, end, 1_000_000, EventNames.PLAIN)));

        DeadEvent expected = new DeadEvent(
                "a",
                Events.TYPE,
                KeyedEvents.AGGREGATE_TYPE,
                "1",
                null,
                "java.io.IOException: no",
                3,
                true,
                clock.instant(),
                null);
        assertThat(told).hasSize(1);
        assertThat(told.get(0).with(null)).isEqualTo(expected);
    }

    @Test
    void an_event_that_was_not_delivered_has_no_further_attempt_and_one_without_an_error_has_used_them_up() {
        lease("a", "1");
        write(keyedEnd("a", 7, new Verdict.Dead(null)));

        assertThat(told).hasSize(1);
        assertThat(told.get(0).attempts()).isEqualTo(7);
        assertThat(told.get(0).error()).isEqualTo(LeaseStore.USED_UP);
        assertThat(told.get(0).holdsKey()).isFalse();
    }

    @Test
    void of_an_event_without_a_lease_somebody_is_told_only_if_it_had_not_ended_before() {
        store.add("x", "y");
        store.markDone(conn, "y");
        write(dead("x"), dead("y"), dead("not there"));

        assertThat(toldIds()).containsExactly("x");
        assertThat(store.status("x")).isEqualTo(EventStatus.DEAD);
        assertThat(store.error("x")).isEqualTo("error of x");
        assertThat(store.status("y")).isEqualTo(EventStatus.DONE);
        assertThat(store.groups()).isEmpty();
    }

    @Test
    void nobody_is_told_of_a_notice_so_that_it_is_marked_with_others() {
        QueuedEvent notice = new QueuedEvent(
                EventEnvelope.builder(DeathNotice.TYPE)
                        .eventId("n")
                        .payloadJson("{}")
                        .build(),
                QueuedEvent.Source.HOT,
                0);
        write(Completions.of(notice, new Verdict.Dead("it is forged")));

        assertThat(store.groups()).containsExactly("markDeadAll [n]");
        assertThat(told).isEmpty();
    }

    @Test
    void the_mark_of_an_event_of_whose_end_somebody_is_told_needs_a_transaction() {
        StoreMarks untold = new StoreMarks(store, leases::ownerId, false, CompletionWriter.TIME_LIMIT);

        assertThat(marks().isRepeatable(List.of(dead("a")))).isFalse();
        assertThat(marks().isRepeatable(List.of(done("b"), dead("a")))).isFalse();
        assertThat(marks().isRepeatable(List.of(retry("a")))).isTrue();
        assertThat(untold.isRepeatable(List.of(dead("a")))).isTrue();
    }

    @Test
    void an_event_without_a_lease_that_is_put_off_counts_no_attempt() {
        store.add("x");
        write(Completions.of(hot("x", 4), new Verdict.Later(NEXT_AT, DELAY, "busy")));

        assertThat(store.availableAt("x")).isEqualTo(NEXT_AT);
        assertThat(store.error("x")).isEqualTo("busy");
        assertThat(store.attempts("x")).isZero();
    }

    @Test
    void a_store_that_cannot_delete_is_refused_by_name() {
        RecordingStore keeping = new RecordingStore() {

            @Override
            public boolean canDelete() {
                return false;
            }
        };

        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoreMarks.requireAbleToDelete(keeping))
                .withMessageContainingAll(
                        keeping.getClass().getName(), "override canDelete and deleteAll", "MARK_DONE");
        assertThatNoException().isThrownBy(() -> StoreMarks.requireAbleToDelete(store));
    }
}
