package outbox.dispatch;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Keeps an event from being queued while it is queued or running here, and from being queued by a poll that read its row before
 * it ended.
 *
 * <p>The tracker alone does not suffice. A poll reads rows, then hands them over one by one; an event that was running when its
 * row was read may be done and released when its turn comes, and would be delivered a second time although nothing went wrong.
 * So each poll opens a window that collects what ends while it is under way, and what is in its window is not taken from it.
 * Order matters on both sides: an event enters the windows before it is released, and is looked up in them after it was
 * acquired, so there is no moment in between.
 */
final class InFlightEvents {

    private final InFlightTracker tracker;
    private final List<PollWindow> windows = new CopyOnWriteArrayList<>();

    InFlightEvents(InFlightTracker tracker) {
        this.tracker = tracker;
    }

    PollWindow openWindow() {
        PollWindow window = new PollWindow();
        windows.add(window);
        return window;
    }

    void closeWindow(PollWindow window) {
        windows.remove(window);
    }

    boolean tryAcquire(String eventId) {
        return tracker.tryAcquire(eventId);
    }

    /** As {@link #tryAcquire(String)}, for a row that was read after the window had been opened. */
    boolean tryAcquire(String eventId, PollWindow window) {
        if (!tracker.tryAcquire(eventId)) {
            return false;
        }
        if (window.contains(eventId)) {
            tracker.release(eventId);
            return false;
        }
        return true;
    }

    /** Frees an event that was acquired but not queued. */
    void release(String eventId) {
        tracker.release(eventId);
    }

    /** Frees an event whose delivery has ended. */
    void ended(String eventId) {
        for (PollWindow window : windows) {
            window.add(eventId);
        }
        tracker.release(eventId);
    }
}
