package outbox.benchmarks.report;

/** What is measured. */
public enum Metric {
    RATE("events/s", 0),
    FIRST_QUARTER_RATE("events/s, first quarter", 0),
    LAST_QUARTER_RATE("events/s, last quarter", 0),
    P50_MILLIS("p50 ms", 3),
    P99_MILLIS("p99 ms", 3),
    STATEMENTS("statements/event", 3),
    COMMITS("commits/event", 3),
    WAL_BYTES("WAL bytes/event", 0),
    CPU_MICROS("JVM CPU µs/event", 1),
    IDLE_STATEMENTS("idle statements/s", 3);

    private final String label;
    private final int decimals;

    Metric(String label, int decimals) {
        this.label = label;
        this.decimals = decimals;
    }

    /** The name with its unit. */
    public String label() {
        return label;
    }

    /** How many digits behind the point are worth showing. */
    public int decimals() {
        return decimals;
    }
}
