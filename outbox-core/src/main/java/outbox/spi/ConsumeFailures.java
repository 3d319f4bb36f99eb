package outbox.spi;

/**
 * How many incoming events lie there that could not be handled. Counting stops at a limit, so that many of them do not take longer to count.
 *
 * @param failed events whose last attempt failed
 * @param exhausted those of them without a retry left
 * @param largestRetryCount how often the one of them has failed that has failed most often; 0 if there is none
 */
public record ConsumeFailures(int failed, int exhausted, int largestRetryCount) {

    /** Asks the table; {@code records::countFailures} of the consumer's side. */
    @FunctionalInterface
    public interface Source {

        /**
         * Counts up to a limit.
         *
         * @throws RuntimeException if the database cannot be asked
         */
        ConsumeFailures count(int limit);
    }
}
