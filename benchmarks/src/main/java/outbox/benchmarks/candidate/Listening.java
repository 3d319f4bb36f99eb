package outbox.benchmarks.candidate;

/** How a candidate is listened to. Workloads take those that are listened to one by one, unless they say otherwise. */
public enum Listening {
    /** Called for each event, and does nothing. */
    ONE_BY_ONE,
    /** Called for many events at once, and does nothing. */
    IN_BATCHES,
    /** As one by one, while another listener with events of its own never returns. */
    BESIDE_ONE_THAT_HANGS
}
