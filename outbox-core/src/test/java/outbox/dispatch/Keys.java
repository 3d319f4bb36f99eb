package outbox.dispatch;

/** Makes the way into the queues for tests. */
final class Keys {

    private Keys() {}

    /** Without order. */
    static KeyedQueue without(FairEventQueue queue, Returns returns, PollRequests pollRequests) {
        return new KeyedQueue(Ordering.NONE, queue, returns, () -> {}, () -> {});
    }

    /** Without order, for what never gets to a queue. */
    static KeyedQueue without(NodeLeases leases, InFlightEvents inFlight, PollRequests pollRequests) {
        return without(new FairEventQueue(1, 1), new Returns(leases, inFlight, pollRequests), pollRequests);
    }
}
