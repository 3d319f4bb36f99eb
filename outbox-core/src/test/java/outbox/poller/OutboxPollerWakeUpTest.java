package outbox.poller;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.row;

/** When the poller asks to go on, and what it does when it is asked to. */
@Timeout(20)
class OutboxPollerWakeUpTest {

    private final CapturedLog log = new CapturedLog();
    private final RecordingStore store = new RecordingStore();
    private final ManualClock clock = new ManualClock("2026-01-01T00:01:00Z");
    private final RecordingHandler handler = new RecordingHandler();
    private final BlockingQueue<Long> reads = new LinkedBlockingQueue<>();

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    @Test
    void a_full_batch_with_locks_goes_on_when_there_is_room_for_another() {
        store.add("a", "b", "c");
        claiming().batchSize(3).build().poll();

        assertThat(handler.wishes).containsExactly("room for 3");
    }

    @Test
    void a_batch_that_was_as_large_as_the_room_goes_on_when_there_is_room_for_a_whole_one() {
        handler.capacity = 2;
        store.add("a", "b", "c");
        claiming().batchSize(3).build().poll();

        assertThat(handler.taken).containsExactly("a", "b");
        assertThat(handler.wishes).containsExactly("room for 3");
    }

    @Test
    void a_full_batch_without_locks_goes_on_when_its_events_have_ended() {
        store.add("a", "b", "c");
        builder().batchSize(3).build().poll();

        assertThat(handler.wishes).containsExactly("end");
    }

    @Test
    void a_batch_that_is_not_full_was_the_last() {
        store.add("a", "b");
        claiming().batchSize(3).build().poll();
        builder().batchSize(3).build().poll();

        assertThat(handler.wishes).isEmpty();
    }

    @Test
    void without_room_the_poller_waits_for_it() {
        handler.capacity = 0;
        claiming().batchSize(3).build().poll();
        builder().batchSize(4).build().poll();

        assertThat(handler.wishes).containsExactly("room for 3", "room for 4");
    }

    @Test
    void a_batch_that_the_handler_refused_does_not_ask_to_go_on_at_once() {
        store.add("a", "b");
        handler.refuseFrom = "b";
        claiming().batchSize(2).build().poll();
        builder().batchSize(2).build().poll();

        assertThat(handler.wishes).isEmpty();
    }

    @Test
    void a_full_batch_of_rows_that_cannot_be_decoded_does_not_hide_what_is_behind_it() {
        store.add(row("bad", "[]", 0), row("worse", "[]", 0), row("good"));
        claiming().batchSize(2).build().poll();

        assertThat(handler.wishes).containsExactly("room for 2");
    }

    @Test
    void a_failed_poll_waits_for_its_interval() {
        store.add("a").failNext(1);
        claiming().batchSize(1).build().poll();

        assertThat(handler.wishes).isEmpty();
    }

    @Test
    void the_wish_to_go_on_comes_before_the_poll_is_finished() {
        store.add("a");
        RecordingHandler inOrder = new RecordingHandler();
        builder()
                .batchSize(1)
                .handler(new LinkedHandler() {
                    @Override
                    public boolean handle(EventEnvelope event, int attempts) {
                        return inOrder.windows.add("handle");
                    }

                    @Override
                    public void pollWhenEnded() {
                        inOrder.windows.add("wish");
                    }

                    @Override
                    public void pollFinished() {
                        inOrder.windows.add("finish");
                    }
                })
                .build()
                .poll();

        assertThat(inOrder.windows).containsExactly("handle", "wish", "finish");
    }

    @Test
    void a_request_leads_to_a_poll_before_the_interval_has_passed() throws InterruptedException {
        try (OutboxPoller poller = watched().build()) {
            poller.start();
            awaitRead(1);
            handler.trigger.pollNow();
            awaitRead(2);
            handler.trigger.pollAt(clock.instant());
            awaitRead(3);
            handler.trigger.pollAt(clock.instant().minusSeconds(60));
            awaitRead(4);
            handler.trigger.pollAt(clock.instant().plusMillis(20));
            awaitRead(5);
        }
    }

    @Test
    void a_request_for_later_is_measured_by_the_pollers_clock_and_does_not_hold_up_the_close() throws Exception {
        try (OutboxPoller poller = watched().build()) {
            poller.start();
            awaitRead(1);
            handler.trigger.pollAt(clock.instant().plusSeconds(3600));
            handler.trigger.pollAt(Instant.MAX);
            handler.trigger.pollNow();
            awaitRead(2);
        }

        assertThat(reads).isEmpty();
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void a_request_waits_until_the_event_is_old_enough_to_be_found() throws Exception {
        try (OutboxPoller poller = watched().skipRecent(Duration.ofHours(1)).build()) {
            poller.start();
            awaitRead(1);
            handler.trigger.pollAt(clock.instant());
            handler.trigger.pollNow();
            awaitRead(2);
        }

        assertThat(reads).isEmpty();
    }

    @Test
    void a_request_during_a_poll_leads_to_another_one() throws InterruptedException {
        store.afterRead(() -> {
            if (reads.add(store.reads()) && store.reads() == 1) {
                for (int i = 0; i < 10; i++) {
                    handler.trigger.pollNow();
                }
            }
        });
        try (OutboxPoller poller = builder().build()) {
            poller.start();
            awaitRead(1);
            awaitRead(2);
            handler.trigger.pollNow(); // had the ten not shared one poll, the others would come before this
            awaitRead(3);
        }

        assertThat(store.reads()).isEqualTo(3);
    }

    @Test
    void a_request_starts_no_poller_that_is_not_started() throws InterruptedException {
        try (OutboxPoller poller = watched().build()) {
            handler.trigger.pollNow();
            handler.trigger.pollAt(clock.instant());
            poller.poll();
            awaitRead(1);
            poller.start();
            awaitRead(2);
        }

        assertThat(store.reads()).isEqualTo(2);
    }

    @Test
    void a_request_after_the_close_is_ignored() throws InterruptedException {
        OutboxPoller poller = watched().build();
        poller.start();
        awaitRead(1);
        poller.close();
        handler.trigger.pollNow();
        handler.trigger.pollAt(clock.instant());

        assertThat(store.reads()).isEqualTo(1);
        assertThat(log.lines()).isEmpty();
    }

    private void awaitRead(long expected) throws InterruptedException {
        assertThat(reads.poll(10, TimeUnit.SECONDS)).isEqualTo(expected);
    }

    private OutboxPoller.Builder watched() {
        store.afterRead(() -> reads.add(store.reads()));
        return builder();
    }

    private OutboxPoller.Builder claiming() {
        return builder().claimLocking("node-1", Duration.ofMinutes(5));
    }

    private OutboxPoller.Builder builder() {
        return OutboxPoller.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .handler(handler)
                .intervalMs(Duration.ofHours(1).toMillis())
                .clock(clock);
    }
}
