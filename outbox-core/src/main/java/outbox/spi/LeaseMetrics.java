package outbox.spi;

/** Receives what happens to leases as numbers; ignores it by default. Called from many threads; must be quick. */
public interface LeaseMetrics {

    /** An outcome was dropped because another process had taken over the event. */
    default void incrementOutcomeTooLate() {}

    /** So many workers, which is all of them, have not come back from their listeners for too long; 0 when one has. */
    default void recordStuckWorkers(int workers) {}
}
