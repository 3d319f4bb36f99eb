package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;

/** Whatever the interleaving of writer, worker and close: an accepted event is taken exactly once, a refused one never. */
class FairEventQueueLincheckTest {

    private static final EventEnvelope ENVELOPE = EventEnvelope.ofJson("T", "{}");

    @Test
    void an_event_offered_during_the_close_is_either_taken_or_refused() {
        Lincheck.runConcurrentTest(300, () -> {
            FairEventQueue queue = new FairEventQueue(1, 1);
            boolean[] accepted = new boolean[1];
            List<QueuedEvent> taken = new ArrayList<>();
            Thread writer =
                    new Thread(() -> accepted[0] = queue.offer(Source.HOT, new QueuedEvent(ENVELOPE, Source.HOT, 0)));
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
            FairEventQueue queue = new FairEventQueue(1, 1);
            List<QueuedEvent> first = new ArrayList<>();
            List<QueuedEvent> second = new ArrayList<>();
            Thread one = new Thread(() -> takeAll(queue, first));
            Thread two = new Thread(() -> takeAll(queue, second));
            one.start();
            two.start();
            queue.offer(Source.HOT, new QueuedEvent(ENVELOPE, Source.HOT, 0));
            queue.offer(Source.COLD, new QueuedEvent(ENVELOPE, Source.COLD, 0));
            queue.close();
            join(one);
            join(two);
            check(first.size() + second.size() == 2);
        });
    }

    private static void takeAll(FairEventQueue queue, List<QueuedEvent> taken) {
        try {
            for (QueuedEvent event = queue.take(); event != null; event = queue.take()) {
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
