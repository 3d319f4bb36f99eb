package outbox.internal.queue;

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
import outbox.testsupport.Await;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(30)
class FairQueueTest {

    private final FairQueue<String> queue = Words.queue(10, 10);

    @Test
    void two_of_three_turns_prefer_the_hot_queue_and_the_first_is_hot() throws InterruptedException {
        offer("c1", "c2", "c3", "h1", "h2", "h3", "h4", "h5", "h6");

        assertThat(takeAll()).containsExactly("h1", "h2", "c1", "h3", "h4", "c2", "h5", "h6", "c3");
    }

    @Test
    void an_empty_preferred_queue_gives_its_turn_to_the_other_at_once() throws InterruptedException {
        offer("c1", "c2", "c3", "c4");
        assertThat(takeAll()).containsExactly("c1", "c2", "c3", "c4");
        FairQueue<String> hotOnly = Words.queue(10, 10);
        for (String id : List.of("h1", "h2", "h3", "h4")) {
            hotOnly.offer(id);
        }
        hotOnly.close();

        assertThat(takeAll(hotOnly)).containsExactly("h1", "h2", "h3", "h4");
    }

    @Test
    void a_full_lane_refuses_and_the_other_still_takes() {
        FairQueue<String> small = Words.queue(1, 2);

        assertThat(small.offer("h1")).isTrue();
        assertThat(small.offer("h2")).isFalse();
        assertThat(small.offer("c1")).isTrue();
        assertThat(small.offer("c2")).isTrue();
        assertThat(small.offer("c3")).isFalse();
        assertThat(small.hot().size()).isEqualTo(1);
        assertThat(small.cold().size()).isEqualTo(2);
        assertThat(small.cold().room()).isZero();
        assertThat(small.hot().room()).isZero();
    }

    @Test
    void after_the_close_nothing_is_accepted_and_what_is_queued_can_be_taken() throws InterruptedException {
        offer("h1", "c1");
        assertThat(queue.isClosed()).isFalse();
        assertThat(queue.hot().room()).isEqualTo(9);
        queue.close();

        assertThat(queue.isClosed()).isTrue();
        assertThat(queue.offer("h2")).isFalse();
        assertThat(queue.offer("c2")).isFalse();
        assertThat(queue.cold().room()).isZero();
        assertThat(queue.hot().room()).isZero();
        assertThat(queue.take()).isEqualTo("h1");
        assertThat(queue.take()).isEqualTo("c1");
        assertThat(queue.take()).isNull();
        assertThat(queue.take()).isNull();
    }

    @Test
    void drain_takes_everything_at_once() throws InterruptedException {
        offer("c1", "h1", "h2");
        queue.close();

        assertThat(queue.drain()).containsExactly("h1", "h2", "c1");
        assertThat(queue.hot().size()).isZero();
        assertThat(queue.cold().size()).isZero();
        assertThat(queue.take()).isNull();
    }

    @Test
    void a_waiting_worker_is_woken_by_either_lane() throws Exception {
        for (String word : List.of("hot", "cold")) {
            AtomicReference<String> taken = new AtomicReference<>();
            Thread worker = new Thread(() -> taken.set(takeUnchecked()));
            worker.start();
            Await.waiting(worker);
            queue.offer(word);
            worker.join(10_000);

            assertThat(taken.get()).isEqualTo(word);
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
        assertThat(queue.take()).isEqualTo("h1");
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
            while (!queue.offer("e" + i)) {
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

    private static void takeWhateverHappens(FairQueue<String> queue, CountDownLatch taken) {
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
        FairQueue<String> busy = Words.queue(4, 4);
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
                    for (String event = busy.take(); event != null; event = busy.take()) {
                        if (!taken.add(event)) {
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

    private static void produce(FairQueue<String> busy, String prefix, Set<String> accepted) {
        for (int i = 0; !busy.isClosed(); i++) {
            String event = (i % 2 == 0 ? "h" : "c") + prefix + i;
            if (busy.offer(event)) {
                accepted.add(event);
            }
        }
    }

    private void offer(String... ids) {
        for (String id : ids) {
            assertThat(queue.offer(id)).isTrue();
        }
    }

    private List<String> takeAll() throws InterruptedException {
        queue.close();
        return takeAll(queue);
    }

    private static List<String> takeAll(FairQueue<String> closed) throws InterruptedException {
        List<String> ids = new ArrayList<>();
        for (String event = closed.take(); event != null; event = closed.take()) {
            ids.add(event);
        }
        return ids;
    }

    private String takeUnchecked() {
        try {
            return queue.take();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
