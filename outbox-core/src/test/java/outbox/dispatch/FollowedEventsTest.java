package outbox.dispatch;

import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.WriterHook;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.Events;
import outbox.testsupport.FailingMetrics;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.event;

class FollowedEventsTest {

    /** Of which committed rows can be seen. */
    private static final class SeenStore extends RecordingStore {
        private final Semaphore looks = new Semaphore(0);

        @Override
        public Set<String> present(Connection conn, Collection<String> eventIds) {
            Set<String> there = eventIds.stream().filter(this::contains).collect(Collectors.toSet());
            looks.release();
            return there;
        }

        private void awaitLook() throws InterruptedException {
            assertThat(looks.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Notes what it hears. */
    private static final class Heard implements WriterHook {
        private final BlockingQueue<String> words = new LinkedBlockingQueue<>();

        private void note(String phase, List<EventEnvelope> events) {
            words.add(phase + " " + events.stream().map(EventEnvelope::eventId).toList());
        }

        private String next() throws InterruptedException {
            return Objects.requireNonNull(words.poll(10, TimeUnit.SECONDS), "the hook heard nothing");
        }

        @Override
        public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
            note("before", events);
            return events.subList(0, 1);
        }

        @Override
        public void afterWrite(List<EventEnvelope> events) {
            note("written", events);
        }

        @Override
        public void afterCommit(List<EventEnvelope> events) {
            note("committed", events);
        }

        @Override
        public void afterRollback(List<EventEnvelope> events) {
            note("rolled back", events);
        }

        @Override
        public void afterUnknown(List<EventEnvelope> events) {
            note("unknown", events);
        }
    }

    private final CapturedLog log = new CapturedLog();
    private final SeenStore store = new SeenStore();
    private final StubConnections connections = StubConnections.autoCommitting();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final Heard heard = new Heard();
    private final FollowedEvents followed = new FollowedEvents(store, connections, heard, metrics);

    @AfterEach
    void stop() {
        followed.close();
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    private FollowedTransaction write(EventEnvelope... events) throws InterruptedException {
        FollowedTransaction transaction = followed.begin();
        transaction.afterWrite(List.of(events));
        assertThat(heard.next()).startsWith("written");
        return transaction;
    }

    private FollowedEvents following(OutboxStore table, WriterHook hook, MetricsExporter exporter) {
        return new FollowedEvents(table, connections, hook, exporter);
    }

    @Test
    void without_hooks_events_are_counted_when_somebody_says_that_they_were_committed_and_nothing_is_asked() {
        EventEnvelope ofTenant = EventEnvelope.builder(Events.TYPE)
                .tenantId("acme")
                .payloadJson("{}")
                .build();
        try (FollowedEvents counting = following(store, WriterHook.NOOP, metrics)) {
            FollowedTransaction transaction = counting.begin();
            transaction.afterWrite(List.of(event("a"), ofTenant));
            assertThat(metrics.events).isEmpty();
            transaction.afterCommit(List.of(event("a"), ofTenant));
        }

        assertThat(metrics.events).containsExactly("WRITTEN " + Events.TYPE, "WRITTEN " + Events.TYPE + " of acme");
        assertThat(connections.journal()).isEmpty();
    }

    @Test
    void metrics_that_fail_harm_no_transaction() {
        try (FollowedEvents counting = following(store, WriterHook.NOOP, new FailingMetrics())) {
            counting.begin().afterCommit(List.of(event("a")));
        }

        assertThat(log.lines()).isNotEmpty();
    }

    @Test
    void what_a_hook_makes_of_events_before_the_write_is_what_is_written() throws InterruptedException {
        List<EventEnvelope> written = followed.begin().beforeWrite(List.of(event("a"), event("b")));

        assertThat(written).extracting(EventEnvelope::eventId).containsExactly("a");
        assertThat(heard.next()).isEqualTo("before [a, b]");
    }

    @Test
    void a_hook_hears_of_a_commit_once_the_row_was_seen() throws InterruptedException {
        FollowedTransaction transaction = write(event("a"));
        transaction.afterCommit(List.of(event("a")));
        store.awaitLook();
        assertThat(heard.words).isEmpty();
        store.add("a");

        assertThat(heard.next()).isEqualTo("committed [a]");
        assertThat(metrics.events).containsExactly("WRITTEN " + Events.TYPE);
    }

    @Test
    void a_row_is_found_although_nobody_says_anything_and_is_not_counted() throws InterruptedException {
        write(event("a"));
        store.add("a");

        assertThat(heard.next()).isEqualTo("committed [a]");
        assertThat(metrics.events).isEmpty();
    }

    @Test
    void a_hook_hears_of_a_commit_once_although_it_is_said_afterwards() throws InterruptedException {
        FollowedTransaction transaction = write(event("a"));
        store.add("a");
        assertThat(heard.next()).isEqualTo("committed [a]");
        transaction.afterCommit(List.of(event("a")));
        transaction.ended();
        followed.close();

        assertThat(heard.words).isEmpty();
    }

    @Test
    void a_hook_hears_of_a_rollback_if_there_is_no_row() throws InterruptedException {
        write(event("a")).afterRollback(List.of(event("a")));

        assertThat(heard.next()).isEqualTo("rolled back [a]");
        assertThat(metrics.events).isEmpty();
    }

    @Test
    void a_row_that_is_there_was_committed_whatever_somebody_says() throws InterruptedException {
        FollowedTransaction transaction = write(event("a"), event("b"));
        store.add("a");
        transaction.afterRollback(List.of(event("a")));

        assertThat(heard.next()).isEqualTo("committed [a]");
    }

    @Test
    void an_end_that_nobody_knows_is_looked_for_at_once_and_again_until_the_row_is_there() throws InterruptedException {
        FollowedTransaction transaction = write(event("a"), event("b"));
        transaction.afterUnknown(List.of(event("a")));
        store.awaitLook();
        transaction.ended();
        store.awaitLook();
        store.add("a");

        assertThat(heard.next()).isEqualTo("committed [a]");
    }

    @Test
    void what_is_not_there_at_the_end_is_unknown_and_afterwards_nothing_is_followed() throws InterruptedException {
        write(event("a"));
        followed.close();

        assertThat(heard.next()).isEqualTo("unknown [a]");
        assertThat(followed.add(event("b"))).isNull();
        followed.close();
        assertThat(heard.words).isEmpty();
    }

    @Test
    void what_is_there_at_the_end_is_found_by_the_last_look() throws InterruptedException {
        write(event("a"));
        store.add("a");
        followed.close();

        assertThat(heard.next()).isEqualTo("committed [a]");
    }

    @Test
    void an_id_that_is_written_again_was_rolled_back_before_and_is_told_once() throws InterruptedException {
        FollowedTransaction first = write(event("a"));
        FollowedTransaction second = write(event("a"));
        store.add("a");
        first.ended();
        second.ended();

        assertThat(heard.next()).isEqualTo("committed [a]");
        followed.close();
        assertThat(heard.words).isEmpty();
    }

    @Test
    void an_id_that_somebody_else_writes_again_is_not_told_as_the_first_one() throws InterruptedException {
        FollowedTransaction transaction = write(event("a"));
        followed.writtenAgain("a");
        store.add("a");
        transaction.ended();
        followed.close();

        assertThat(heard.words).isEmpty();
    }

    @Test
    void a_database_that_is_away_is_asked_again() throws InterruptedException {
        connections.failToOpen(1);
        store.add("a");
        write(event("a")).ended();

        assertThat(heard.next()).isEqualTo("committed [a]");
        assertThat(log.at(Level.WARNING)).containsExactly("Cannot look for 1 event(s) of joined transactions now");
    }

    @Test
    void a_store_that_cannot_say_what_is_there_is_not_asked_again() {
        try (FollowedEvents blind = following(new RecordingStore(), heard, metrics)) {
            FollowedTransaction transaction = blind.begin();
            transaction.afterWrite(List.of(event("a")));
            transaction.ended();
            Await.until(() -> !log.at(Level.WARNING).isEmpty());

            assertThat(blind.add(event("b"))).isNull();
        }
    }

    @Test
    void no_more_events_are_followed_than_there_is_room_for() {
        IntStream.range(0, OutboxDispatcher.DEFAULT_QUEUE_CAPACITY)
                .forEach(i -> assertThat(followed.add(event("e" + i))).isNotNull());

        assertThat(followed.add(event("one more"))).isNull();
        followed.writtenAgain("e0");
        assertThat(followed.add(event("one more"))).isNotNull();
    }

    @Test
    void is_healthy_before_and_while_it_looks() throws InterruptedException {
        assertThat(followed.health().problems()).isEmpty();
        write(event("a")).ended();
        store.awaitLook();

        assertThat(followed.health().problems()).isEmpty();
    }
}
