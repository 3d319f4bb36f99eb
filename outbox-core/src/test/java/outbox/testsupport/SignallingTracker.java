package outbox.testsupport;

import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import outbox.dispatch.DefaultInFlightTracker;
import outbox.dispatch.InFlightTracker;

/** Lets a test wait until the dispatcher has let go of an event. */
public final class SignallingTracker implements InFlightTracker {

    private final InFlightTracker events = new DefaultInFlightTracker();
    private final BlockingQueue<String> released = new LinkedBlockingQueue<>();

    @Override
    public boolean tryAcquire(String eventId) {
        return events.tryAcquire(eventId);
    }

    @Override
    public void release(String eventId) {
        events.release(eventId);
        released.add(eventId);
    }

    /** Waits for the next release, and returns whose it was. */
    public String nextReleased() throws InterruptedException {
        return Objects.requireNonNull(released.poll(10, TimeUnit.SECONDS), "nothing was released");
    }

    /** Whether the event is neither queued nor running. */
    public boolean isFree(String eventId) {
        boolean free = events.tryAcquire(eventId);
        if (free) {
            events.release(eventId);
        }
        return free;
    }
}
