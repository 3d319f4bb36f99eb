package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.dispatch.QueuedEvent.Source;
import outbox.testsupport.Await;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testsupport.Events.cold;
import static outbox.testsupport.Events.hot;

@Timeout(30)
class FairEventQueueTest {

    private final FairEventQueue queue = new FairEventQueue(10, 10);

    @Test
    void two_of_three_turns_prefer_the_hot_queue_and_the_first_is_hot() throws InterruptedException {
        offer("c1", "c2", "c3", "h1", "h2", "h3", "h4", "h5", "h6");

        assertThat(takeAll()).containsExactly("h1", "h2", "c1", "h3", "h4", "c2", "h5", "h6", "c3");
    }

    @Test
    void an_empty_preferred_queue_gives_its_turn_to_the_other_at_once() throws InterruptedException {
        offer("c1", "c2", "c3", "c4");
        assertThat(takeAll()).containsExactly("c1", "c2", "c3", "c4");
        FairEventQueue hotOnly = new FairEventQueue(10, 10);
        for (String id : List.of("h1", "h2", "h3", "h4")) {
            hotOnly.offer(Source.HOT, hot(id));
        }
        hotOnly.close();

        assertThat(takeAll(hotOnly)).containsExactly("h1", "h2", "h3", "h4");
    }

    @Test
    void a_full_lane_refuses_and_the_other_still_takes() {
        FairEventQueue small = new FairEventQueue(1, 2);

        assertThat(small.offer(Source.HOT, hot("h1"))).isTrue();
        assertThat(small.offer(Source.HOT, hot("h2"))).isFalse();
        assertThat(small.offer(Source.COLD, cold("c1"))).isTrue();
        assertThat(small.offer(Source.COLD, cold("c2"))).isTrue();
        assertThat(small.offer(Source.COLD, cold("c3"))).isFalse();
        assertThat(small.hotDepth()).isEqualTo(1);
        assertThat(small.coldDepth()).isEqualTo(2);
        assertThat(small.coldRemainingCapacity()).isZero();
        assertThat(small.hotRemainingCapacity()).isZero();
    }

    @Test
    void the_lane_counts_not_what_the_event_says_of_itself() {
        assertThat(queue.offer(Source.COLD, hot("h1"))).isTrue();

        assertThat(queue.coldDepth()).isEqualTo(1);
        assertThat(queue.hotDepth()).isZero();
    }

    @Test
    void after_the_close_nothing_is_accepted_and_what_is_queued_can_be_taken() throws InterruptedException {
        offer("h1", "c1");
        assertThat(queue.isClosed()).isFalse();
        assertThat(queue.hotRemainingCapacity()).isEqualTo(9);
        queue.close();

        assertThat(queue.isClosed()).isTrue();
        assertThat(queue.offer(Source.HOT, hot("h2"))).isFalse();
        assertThat(queue.offer(Source.COLD, cold("c2"))).isFalse();
        assertThat(queue.coldRemainingCapacity()).isZero();
        assertThat(queue.hotRemainingCapacity()).isZero();
        assertThat(queue.take().envelope().eventId()).isEqualTo("h1");
        assertThat(queue.take().envelope().eventId()).isEqualTo("c1");
        assertThat(queue.take()).isNull();
        assertThat(queue.take()).isNull();
    }

    @Test
    void drain_takes_everything_at_once() throws InterruptedException {
        offer("c1", "h1", "h2");
        queue.close();

        assertThat(queue.drain())
                .extracting(event -> event.envelope().eventId())
                .containsExactly("h1", "h2", "c1");
        assertThat(queue.hotDepth()).isZero();
        assertThat(queue.coldDepth()).isZero();
        assertThat(queue.take()).isNull();
    }

    @Test
    void a_waiting_worker_is_woken_by_either_lane() throws Exception {
        for (Source lane : Source.values()) {
            AtomicReference<QueuedEvent> taken = new AtomicReference<>();
            Thread worker = new Thread(() -> taken.set(takeUnchecked()));
            worker.start();
            Await.waiting(worker);
            queue.offer(lane, hot("x"));
            worker.join(10_000);

            assertThat(taken.get().envelope().eventId()).isEqualTo("x");
        }
    }

    @Test
    void the_close_wakes_every_waiting_worker() throws Exception {
        List<Thread> workers = new ArrayList<>();
        AtomicInteger ended = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            Thread worker = new Thread(() -> {
                if (takeUnchecked() == null) {
                    ended.incrementAndGet();
                }
            });
            worker.start();
            workers.add(worker);
        }
        workers.forEach(Await::waiting);
        queue.close();
        for (Thread worker : workers) {
            worker.join(10_000);
        }

        assertThat(ended).hasValue(3);
    }

    @Test
    void an_interrupted_wait_loses_no_event() throws InterruptedException {
        offer("h1");
        Thread.currentThread().interrupt();

        assertThatThrownBy(queue::take).isInstanceOf(InterruptedException.class);
        assertThat(queue.take().envelope().eventId()).isEqualTo("h1");
    }

    /** A worker that was woken for an event and is interrupted before it looks must leave the event to another. */
    @Test
    void interrupts_of_sleeping_workers_strand_no_event() throws Exception {
        int rounds = 2_000;
        CountDownLatch taken = new CountDownLatch(rounds);
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Thread worker = new Thread(() -> takeWhateverHappens(queue, taken));
            worker.start();
            workers.add(worker);
        }
        for (int i = 0; i < rounds; i++) {
            while (!queue.offer(Source.HOT, hot("e" + i))) {
                Thread.onSpinWait();
            }
            workers.get(i % 2).interrupt();
        }

        assertThat(taken.await(20, TimeUnit.SECONDS)).isTrue();
        queue.close();
        for (Thread worker : workers) {
            worker.join();
        }
    }

    private static void takeWhateverHappens(FairEventQueue queue, CountDownLatch taken) {
        while (true) {
            try {
                if (queue.take() == null) {
                    return;
                }
                taken.countDown();
            } catch (InterruptedException e) {
                // goes on
            }
        }
    }

    @Test
    void under_contention_and_a_close_every_accepted_event_is_taken_exactly_once() throws Exception {
        int producers = 3;
        int consumers = 3;
        FairEventQueue busy = new FairEventQueue(4, 4);
        Set<String> accepted = ConcurrentHashMap.newKeySet();
        Set<String> taken = ConcurrentHashMap.newKeySet();
        AtomicInteger takenTwice = new AtomicInteger();
        CountDownLatch enough = new CountDownLatch(5_000);
        ExecutorService pool = Executors.newFixedThreadPool(producers + consumers);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int p = 0; p < producers; p++) {
                String prefix = p + "-";
                all.add(pool.submit(() -> produce(busy, prefix, accepted)));
            }
            for (int c = 0; c < consumers; c++) {
                all.add(pool.submit(() -> {
                    for (QueuedEvent event = busy.take(); event != null; event = busy.take()) {
                        if (!taken.add(event.envelope().eventId())) {
                            takenTwice.incrementAndGet();
                        }
                        enough.countDown();
                    }
                    return null;
                }));
            }
            Await.opened(enough);
            busy.close();
            for (Future<?> one : all) {
                one.get(20, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }

        assertThat(takenTwice).hasValue(0);
        assertThat(taken).isEqualTo(accepted);
        assertThat(busy.drain()).isEmpty();
    }

    private static void produce(FairEventQueue busy, String prefix, Set<String> accepted) {
        for (int i = 0; !busy.isClosed(); i++) {
            QueuedEvent event = hot(prefix + i);
            if (busy.offer(i % 2 == 0 ? Source.HOT : Source.COLD, event)) {
                accepted.add(event.envelope().eventId());
            }
        }
    }

    /** Ids that begin with c go to the cold lane. */
    private void offer(String... ids) {
        for (String id : ids) {
            assertThat(queue.offer(id.startsWith("c") ? Source.COLD : Source.HOT, hot(id)))
                    .isTrue();
        }
    }

    private List<String> takeAll() throws InterruptedException {
        queue.close();
        return takeAll(queue);
    }

    private static List<String> takeAll(FairEventQueue closed) throws InterruptedException {
        List<String> ids = new ArrayList<>();
        for (QueuedEvent event = closed.take(); event != null; event = closed.take()) {
            ids.add(event.envelope().eventId());
        }
        return ids;
    }

    private QueuedEvent takeUnchecked() {
        try {
            return queue.take();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
