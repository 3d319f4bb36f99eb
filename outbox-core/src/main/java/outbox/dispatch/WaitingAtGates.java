package outbox.dispatch;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import outbox.dispatch.QueuedEvent.Source;

/** How many events wait for their listeners to have time, and what they take in memory: they count as if they were still queued. Thread-safe. */
final class WaitingAtGates {

    private final AtomicInteger hot = new AtomicInteger();
    private final AtomicInteger cold = new AtomicInteger();
    private final AtomicLong hotBytes = new AtomicLong();
    private final AtomicLong coldBytes = new AtomicLong();

    void comes(QueuedEvent event) {
        change(event, 1);
    }

    void goes(QueuedEvent event) {
        change(event, -1);
    }

    private void change(QueuedEvent event, int by) {
        boolean isHot = event.source() == Source.HOT;
        (isHot ? hot : cold).addAndGet(by);
        (isHot ? hotBytes : coldBytes).addAndGet(by * event.envelope().sizeInMemory());
    }

    int count(Source source) {
        return Math.max(0, (source == Source.HOT ? hot : cold).get());
    }

    long bytes(Source source) {
        return Math.max(0, (source == Source.HOT ? hotBytes : coldBytes).get());
    }
}
