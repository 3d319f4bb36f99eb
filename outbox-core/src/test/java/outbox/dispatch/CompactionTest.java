package outbox.dispatch;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.dispatch.Compaction.Known;
import outbox.dispatch.Compaction.Standing;
import outbox.internal.outcome.Completion;
import outbox.internal.outcome.Completions;
import outbox.internal.outcome.Verdict;
import outbox.internal.text.EventNames;
import outbox.spi.OrderedStore;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.CompactedRows;
import outbox.testsupport.Events;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.CompactedRows.lineOf;
import static outbox.testsupport.Events.event;
import static outbox.testsupport.KeyedEvents.hotOf;
import static outbox.testsupport.KeyedEvents.keyed;

class CompactionTest {

    private static final int MOST_LINES = 10_000;

    private final CapturedLog log = new CapturedLog();
    private final StubConnections connections = StubConnections.transactional();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final CompactedRows rows = new CompactedRows("broken");
    private final List<String> broughtBack = Collections.synchronizedList(new ArrayList<>());
    private final Semaphore ended = new Semaphore(0);
    private Compaction unordered = compaction(null);
    private Compaction ordered = compaction(order());

    @AfterEach
    void stop() {
        unordered.close();
        ordered.close();
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    private Compaction compaction(OrderedStore order) {
        return new Compaction(
                new Compaction.Parts(rows, order, connections, metrics, EventNames.PLAIN),
                Set.of(Events.TYPE),
                "orders_outbox",
                ended::release);
    }

    /** Notes for which events something is brought back, and what was done to connections before. */
    private OrderedStore order() {
        return (OrderedStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {OrderedStore.class}, (proxy, method, args) -> {
                    assertThat(method.getName()).isEqualTo("bringBack");
                    broughtBack.add(args[1] + " after " + connections.journal());
                    return 1;
                });
    }

    private static EventEnvelope ofOtherType(String id) {
        return EventEnvelope.builder("Other")
                .eventId(id)
                .aggregateType("Order")
                .aggregateId("1")
                .payloadJson("{}")
                .build();
    }

    private static Completion repeated(String id, String key) {
        return Completions.of(
                hotOf(key, id), new Verdict.Retry(Completions.NEXT_AT, Completions.DELAY, "error of " + id));
    }

    private void awaitEnded() throws InterruptedException {
        assertThat(ended.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
    }

    private List<String> sweeps() {
        return rows.calls().stream().filter(call -> call.startsWith("sweep")).toList();
    }

    /** Lines are swept in the order in which that was asked for. */
    private void assertNothingIsSweptBefore(Compaction compaction) throws InterruptedException {
        rows.add(keyed("overtaken", "last"), keyed("newest", "last"));
        compaction.repeats(repeated("overtaken", "last"));
        awaitEnded();
        assertThat(sweeps()).containsExactly("sweep last");
    }

    @Test
    void only_events_with_a_key_of_the_types_that_were_given_are_concerned() {
        assertThat(unordered.concerns(keyed("a", "1"))).isTrue();
        assertThat(unordered.concerns(event("b"))).isFalse();
        assertThat(unordered.concerns(ofOtherType("c"))).isFalse();
        assertThat(unordered.concerns(repeated("a", "1"))).isTrue();
        assertThat(unordered.concerns(Completions.done("b"))).isFalse();
        assertThat(unordered.concerns(Completion.of(
                        ofOtherType("c"), false, 0, Verdict.DONE, Completion.NOT_DELIVERED, EventNames.PLAIN)))
                .isFalse();
    }

    @Test
    void the_table_is_not_asked_about_events_that_are_not_concerned() {
        assertThat(unordered.ask(List.of(event("a"), ofOtherType("b")))).isSameAs(Known.NOTHING);
        assertThat(connections.journal()).isEmpty();
    }

    @Test
    void the_newest_event_of_a_key_is_current_an_older_one_superseded_and_one_that_is_not_there_unknown() {
        rows.add(keyed("a1", "1"), keyed("b1", "2"), keyed("a2", "1"));
        rows.lease("a1", "a2", "b1");
        Known known = unordered.ask(List.of(keyed("a1", "1"), keyed("a2", "1"), keyed("b1", "2"), keyed("c1", "3")));

        assertThat(known.standingOf(keyed("a1", "1"))).isEqualTo(Standing.SUPERSEDED);
        assertThat(known.standingOf(keyed("a2", "1"))).isEqualTo(Standing.CURRENT);
        assertThat(known.standingOf(keyed("b1", "2"))).isEqualTo(Standing.CURRENT);
        assertThat(known.standingOf(keyed("c1", "3"))).isEqualTo(Standing.UNKNOWN);
    }

    @Test
    void of_a_key_with_one_event_nothing_is_swept() {
        rows.add(keyed("a", "1"));
        unordered.ask(List.of(keyed("a", "1")));

        assertThat(rows.calls()).isEmpty();
    }

    @Test
    void whoever_is_about_to_deliver_the_newest_event_ends_the_free_ones_and_without_order_tells_the_leased_ones() {
        rows.add(keyed("a", "1"), keyed("b", "1"), keyed("c", "1"), keyed("d", "1"));
        rows.lease("b", "d");
        unordered.ask(List.of(keyed("d", "1")));

        assertThat(rows.pending()).containsExactlyInAnyOrder("b", "d");
        assertThat(rows.told()).containsExactly("b");
        assertThat(metrics.events).containsExactly("SUPERSEDED 2 " + Events.TYPE);
        assertThat(connections.journal()).containsExactly("open", "commit", "close");
    }

    @Test
    void in_order_the_leased_ones_are_not_told() {
        rows.add(keyed("a", "1"), keyed("b", "1"), keyed("c", "1"));
        rows.lease("b", "c");
        ordered.ask(List.of(keyed("c", "1")));

        assertThat(rows.pending()).containsExactlyInAnyOrder("b", "c");
        assertThat(rows.told()).isEmpty();
    }

    @Test
    void whoever_was_told_is_superseded_although_the_newest_one_has_ended_meanwhile() {
        rows.add(keyed("a", "1"), keyed("b", "1"));
        rows.lease("a");
        unordered.ask(List.of(keyed("b", "1")));
        rows.deliver("b");

        assertThat(unordered.ask(List.of(keyed("a", "1"))).standingOf(keyed("a", "1")))
                .isEqualTo(Standing.SUPERSEDED);
    }

    @Test
    void two_events_of_a_key_are_one_sweep_and_an_id_that_comes_twice_is_one_event() {
        rows.add(keyed("a", "1"), keyed("b", "1"));
        rows.lease("a", "b");
        unordered.ask(List.of(keyed("a", "1"), keyed("b", "1"), keyed("b", "1")));

        assertThat(rows.calls()).containsExactly("sweep 1 and tell");
        assertThat(metrics.events).isEmpty();
    }

    @Test
    void nothing_is_known_if_the_table_cannot_be_asked_and_the_log_says_so() {
        rows.add(keyed("a", "1"));
        connections.failToOpen(1);
        Known known = unordered.ask(List.of(keyed("a", "1")));

        assertThat(known.standingOf(keyed("a", "1"))).isEqualTo(Standing.UNKNOWN);
        assertThat(log.at(Level.WARNING))
                .containsExactly("Cannot ask which events of the outbox table are superseded; they wait");
        assertThat(unordered.ask(List.of(keyed("a", "1"))).standingOf(keyed("a", "1")))
                .isEqualTo(Standing.CURRENT);
    }

    @Test
    void nothing_is_known_if_a_sweep_fails_and_what_it_did_is_rolled_back() {
        rows.add(keyed("a", "broken"), keyed("b", "broken"));

        assertThat(unordered.ask(List.of(keyed("b", "broken")))).isSameAs(Known.NOTHING);
        assertThat(connections.journal()).containsExactly("open", "rollback", "close");
    }

    @Test
    void in_order_a_commit_ends_the_older_event_in_front_of_it_and_then_brings_back_what_was_put_off_behind_that()
            throws InterruptedException {
        rows.add(keyed("a", "1"), keyed("b", "1"));
        ordered.committed(keyed("b", "1"));
        awaitEnded();

        assertThat(rows.pending()).containsExactly("b");
        assertThat(broughtBack).containsExactly("[b] after [open, commit, close, open]");
        assertThat(metrics.events).containsExactly("SUPERSEDED 1 " + Events.TYPE);
    }

    @Test
    void without_order_a_commit_sweeps_nothing() throws InterruptedException {
        rows.add(keyed("a", "1"), keyed("b", "1"));
        unordered.committed(keyed("b", "1"));

        assertNothingIsSweptBefore(unordered);
        assertThat(rows.pending()).contains("a", "b");
    }

    @Test
    void a_commit_that_is_not_concerned_sweeps_nothing() throws InterruptedException {
        ordered.committed(event("c"));
        ordered.committed(ofOtherType("d"));

        assertNothingIsSweptBefore(ordered);
    }

    @Test
    void an_event_that_is_to_be_repeated_ends_at_once_if_a_newer_one_has_overtaken_it() throws InterruptedException {
        rows.add(keyed("a", "1"), keyed("b", "1"));
        unordered.repeats(repeated("a", "1"));
        awaitEnded();

        assertThat(rows.pending()).containsExactly("b");
        assertThat(sweeps()).containsExactly("sweep 1");
        assertThat(broughtBack).isEmpty();
    }

    @Test
    void a_repeated_event_that_is_not_concerned_is_not_looked_at() throws InterruptedException {
        unordered.repeats(Completions.retry("a"));
        unordered.repeats(
                Completion.of(ofOtherType("b"), false, 0, Verdict.DONE, Completion.NOT_DELIVERED, EventNames.PLAIN));

        assertNothingIsSweptBefore(unordered);
    }

    @Test
    void if_nothing_has_ended_nobody_is_told_and_nothing_is_brought_back() throws InterruptedException {
        rows.add(keyed("a", "1"));
        ordered.committed(keyed("a", "1"));
        rows.nextSweep();
        ordered.close();

        assertThat(connections.journal()).containsExactly("open", "commit", "close");
        assertThat(broughtBack).isEmpty();
        assertThat(ended.availablePermits()).isZero();
        assertThat(metrics.events).isEmpty();
    }

    @Test
    void a_line_that_cannot_be_swept_keeps_no_other_from_it() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        rows.beforeSweep(() -> Await.opened(go));
        rows.add(keyed("x", "broken"), keyed("y", "broken"), keyed("a", "1"), keyed("b", "1"));
        ordered.committed(keyed("y", "broken"));
        assertThat(rows.nextSweep()).isEqualTo(lineOf(keyed("y", "broken")));
        ordered.committed(keyed("y", "broken"));
        ordered.committed(keyed("b", "1"));
        go.countDown();
        awaitEnded();

        assertThat(sweeps()).containsExactly("sweep broken", "sweep broken", "sweep 1");
        assertThat(rows.pending()).containsExactlyInAnyOrder("x", "y", "b");
        assertThat(log.at(Level.FINE))
                .contains("Cannot end superseded events of the outbox table yet; they end when they are due");
    }

    @Test
    void what_is_committed_while_a_sweep_is_under_way_is_swept_next_and_once_for_each_line()
            throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        rows.beforeSweep(() -> Await.opened(go));
        rows.add(keyed("a", "1"), keyed("b", "1"), keyed("c", "1"), keyed("x", "2"), keyed("y", "2"));
        ordered.committed(keyed("y", "2"));
        rows.nextSweep();
        ordered.committed(keyed("b", "1"));
        ordered.committed(keyed("c", "1"));
        go.countDown();
        awaitEnded();
        awaitEnded();

        assertThat(sweeps()).containsExactly("sweep 2", "sweep 1");
        assertThat(rows.pending()).containsExactlyInAnyOrder("c", "y");
        assertThat(broughtBack).hasSize(2).last().asString().startsWith("[c]");
    }

    @Test
    void no_more_lines_wait_than_there_is_room_for() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch swept = new CountDownLatch(1 + MOST_LINES);
        rows.beforeSweep(() -> {
            Await.opened(go);
            swept.countDown();
        });
        ordered.committed(keyed("first", "first"));
        rows.nextSweep();
        IntStream.range(0, MOST_LINES + 3).forEach(i -> ordered.committed(keyed("e" + i, "key " + i)));
        go.countDown();
        Await.opened(swept);
        ordered.close();

        assertThat(sweeps()).hasSize(1 + MOST_LINES).last().isEqualTo("sweep key " + (MOST_LINES - 1));
    }

    @Test
    void nothing_is_swept_after_the_end_and_closing_twice_is_harmless() {
        rows.add(keyed("a", "1"), keyed("b", "1"));
        ordered.close();
        ordered.committed(keyed("b", "1"));
        ordered.repeats(repeated("a", "1"));
        ordered.close();

        assertThat(rows.calls()).isEmpty();
        assertThat(connections.journal()).isEmpty();
    }

    @Test
    void the_table_is_checked_by_the_store() {
        unordered.checkSchema(null);

        assertThat(rows.calls()).containsExactly("checkSchema");
    }
}
