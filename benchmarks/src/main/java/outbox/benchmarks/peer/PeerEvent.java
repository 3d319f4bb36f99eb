package outbox.benchmarks.peer;

/**
 * The event as an object, for peers that serialize it themselves.
 *
 * @param payload the event as JSON
 */
public record PeerEvent(String payload) {}
