package outbox.dispatch;

/** Lets go of events that will not be delivered here after all: they stay in the table, for whoever polls first. */
final class Returns {

    private final NodeLeases leases;
    private final InFlightEvents inFlight;
    private final PollRequests pollRequests;

    Returns(NodeLeases leases, InFlightEvents inFlight, PollRequests pollRequests) {
        this.leases = leases;
        this.inFlight = inFlight;
        this.pollRequests = pollRequests;
    }

    void giveBack(String eventId, QueuedEvent.Source source) {
        leases.giveBack(eventId);
        inFlight.release(eventId);
        pollRequests.left(source);
    }
}
