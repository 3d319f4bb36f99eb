package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;

/** Lets go of events that will not be delivered here after all: they stay in the table, for whoever polls first. */
final class Returns {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final NodeLeases leases;
    private final InFlightEvents inFlight;
    private final PollRequests pollRequests;

    Returns(NodeLeases leases, InFlightEvents inFlight, PollRequests pollRequests) {
        this.leases = leases;
        this.inFlight = inFlight;
        this.pollRequests = pollRequests;
    }

    /** Each step is taken whatever becomes of the one before. A lease that could not be given back is not renewed, and expires. */
    void giveBack(String eventId, QueuedEvent.Source source) {
        try {
            leases.giveBack(eventId);
        } finally {
            try {
                inFlight.release(eventId);
            } finally {
                pollRequests.left(source);
            }
        }
    }

    /** As {@link #giveBack}, but nothing escapes: one that cannot be given back must not keep others from it. */
    void giveBackQuietly(String eventId, QueuedEvent.Source source) {
        try {
            giveBack(eventId, source);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot give an event back properly; its lease expires later", LoggedError.of(e));
        }
    }
}
