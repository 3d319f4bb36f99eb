package outbox.internal.queue;

import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;

/** Whatever the interleaving of writer, worker and close: an accepted event is taken exactly once, a refused one never. */
class FairQueueLincheckTest {

    @Test
    void an_event_offered_during_the_close_is_either_taken_or_refused() {
        Lincheck.runConcurrentTest(300, () -> {
            FairQueue<String> queue = Words.queue(1, 1);
            boolean[] accepted = new boolean[1];
            List<String> taken = new ArrayList<>();
            Thread writer = new Thread(() -> accepted[0] = queue.offer("hot"));
            writer.start();
            queue.close();
            takeAll(queue, taken);
            join(writer);
            check(taken.size() == (accepted[0] ? 1 : 0) && queue.drain().isEmpty());
        });
    }

    @Test
    void two_workers_share_two_lanes_without_losing_or_doubling() {
        Lincheck.runConcurrentTest(100, () -> {
            FairQueue<String> queue = Words.queue(1, 1);
            List<String> first = new ArrayList<>();
            List<String> second = new ArrayList<>();
            Thread one = new Thread(() -> takeAll(queue, first));
            Thread two = new Thread(() -> takeAll(queue, second));
            one.start();
            two.start();
            queue.offer("hot");
            queue.offer("cold");
            queue.close();
            join(one);
            join(two);
            check(first.size() + second.size() == 2);
        });
    }

    private static void takeAll(FairQueue<String> queue, List<String> taken) {
        try {
            for (String event = queue.take(); event != null; event = queue.take()) {
                taken.add(event);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void check(boolean condition) {
        if (!condition) {
            throw new AssertionError("an event was lost or taken twice");
        }
    }
}
