package outbox.dispatch;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.spi.LeaseStore.Suspicion;

/**
 * One poll of the table, from before it is read until everything that was found is handed over. Notes the deliveries that end in this process
 * meanwhile, see {@link Intake}. Only the notes are made by other threads than the one that polls.
 */
final class PollPass {

    private final EventFlow.Parts flow;
    private final long startedAt;
    private final long enteredBefore;
    private final Map<String, Integer> attemptsOfEnded = new ConcurrentHashMap<>();
    private final Set<String> finished = ConcurrentHashMap.newKeySet();
    private int entered;
    private long largest;

    private PollPass(EventFlow.Parts flow, long startedAt) {
        this.flow = flow;
        this.startedAt = startedAt;
        this.enteredBefore = flow.pollRequests().coldEntered();
    }

    static PollPass begin(EventFlow.Parts flow) {
        flow.leases().givenBack().claimBegins();
        PollPass poll = new PollPass(flow, flow.leases().now());
        flow.intake().beginPoll(poll);
        return poll;
    }

    /** The time of the lease book before the table was read. */
    long startedAt() {
        return startedAt;
    }

    /** Takes an event that was read without a lease; false if there is no room. */
    boolean found(QueuedEvent event) {
        measure(event);
        return flow.intake().cold(event, this);
    }

    /**
     * Takes an event that was leased by this poll; false if there is no room.
     *
     * @param ahead the ids of events that must end before it
     * @param suspicion null if nothing is held against it
     */
    boolean claimed(QueuedEvent event, Collection<String> ahead, @Nullable Suspicion suspicion) {
        measure(event);
        return flow.intake().claimed(event, this, ahead, suspicion);
    }

    private void measure(QueuedEvent event) {
        largest = Math.max(largest, event.envelope().sizeInMemory());
    }

    /** Says that an event was read that was not on its way yet. */
    void entered() {
        entered++;
    }

    /** How many events have come in that were not on their way already. */
    int enteredCount() {
        return entered;
    }

    /** Says that a delivery has ended. */
    void ended(String eventId, int attempts) {
        attemptsOfEnded.merge(eventId, attempts, Math::max);
    }

    /** Says that a delivery was the last one of its event. */
    void finished(String eventId) {
        finished.add(eventId);
    }

    boolean isFinished(String eventId) {
        return finished.contains(eventId);
    }

    /** Whether the row was read before its delivery here ended. One read after a failure shows the failed attempt. */
    boolean isStale(QueuedEvent row) {
        Integer attempts = attemptsOfEnded.get(row.envelope().eventId());
        return attempts != null && row.attempts() <= attempts;
    }

    /** Whatever came lately, from now on the worst is assumed, until smaller rows have come again. */
    void rowsDidNotFit() {
        largest = EventEnvelope.MAX_PAYLOAD_BYTES;
    }

    /** Asks for a poll when what was found has ended; if nothing new was found, a poll would only find the same again. */
    void pollWhenEnded() {
        if (flow.pollRequests().coldEntered() != enteredBefore) {
            flow.pollRequests().pollWhenColdEnded();
        }
    }

    void end() {
        flow.intake().endPoll(this);
        flow.leases().givenBack().claimEnded();
        if (largest > 0) {
            flow.queues().rowsWereUpTo(largest);
        }
    }
}
