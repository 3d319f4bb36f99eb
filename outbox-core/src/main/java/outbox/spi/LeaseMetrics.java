package outbox.spi;

/** Receives what happens to leases as numbers; ignores it by default. Called from many threads; must be quick. */
public interface LeaseMetrics {

    /** An outcome came after another process had taken the event over, and was dropped. */
    default void incrementOutcomeTooLate() {}
}
