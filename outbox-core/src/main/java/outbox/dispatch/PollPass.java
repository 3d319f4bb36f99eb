package outbox.dispatch;

import java.util.Collection;

/** One poll of the table, from before it is read until everything that was found is handed over. Used by the thread that polls. */
final class PollPass {

    private final EventFlow flow;
    private final long startedAt;
    private final PollWindow window;
    private final long enteredBefore;
    private long largest;

    PollPass(EventFlow flow, long startedAt, PollWindow window, long enteredBefore) {
        this.flow = flow;
        this.startedAt = startedAt;
        this.window = window;
        this.enteredBefore = enteredBefore;
    }

    /** Takes an event that was read without a lease; false if there is no room. */
    boolean found(QueuedEvent event) {
        measure(event);
        return flow.intake().cold(event, window);
    }

    /**
     * Takes an event that was leased by this poll; false if there is no room.
     *
     * @param ahead the ids of events that must end before it
     */
    boolean claimed(QueuedEvent event, Collection<String> ahead) {
        measure(event);
        return flow.intake().claimed(event, window, startedAt, ahead);
    }

    private void measure(QueuedEvent event) {
        largest = Math.max(largest, event.envelope().sizeInMemory());
    }

    /** How many events have come in that were not on their way already. */
    int enteredCount() {
        return window.enteredCount();
    }

    /** Asks for a poll when what was found has ended. */
    void pollWhenEnded() {
        flow.pollWhenEnded(enteredBefore);
    }

    void end() {
        flow.endPoll(window, largest);
    }
}
