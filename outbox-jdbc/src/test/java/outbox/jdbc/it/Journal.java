package outbox.jdbc.it;

import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import outbox.EventEnvelope;
import outbox.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

/** What happened, in order, and something to wait for it. */
final class Journal implements EventListener {

    private final Queue<String> entries = new ConcurrentLinkedQueue<>();
    private final Semaphore arrived = new Semaphore(0);

    @Override
    public void onEvent(EventEnvelope event) {
        add(event.eventId());
    }

    void add(String entry) {
        entries.add(entry);
        arrived.release();
    }

    /** Waits for so many more entries. */
    void await(int more) throws InterruptedException {
        assertThat(arrived.tryAcquire(more, 30, TimeUnit.SECONDS))
                .as("%d more, came %s", more, entries)
                .isTrue();
    }

    Collection<String> entries() {
        return List.copyOf(entries);
    }
}
