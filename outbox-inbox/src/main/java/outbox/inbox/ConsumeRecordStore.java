package outbox.inbox;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.spi.ConsumeFailures;

/** Finds, replays and deletes consume records. Each call is a transaction of its own. Thread-safe. */
public interface ConsumeRecordStore {

    /**
     * Events that were kept with the record of their failure and whose retry is due, longest due first; also those whose retry was under
     * way when its process died. Finding an event does not acquire it: whoever handles it must do that.
     */
    List<EventEnvelope> findDue(String consumerGroup, String eventType, int limit);

    /**
     * Failed records, oldest first.
     *
     * @param consumerGroup one group, or null for all
     * @param exhaustedOnly only those without a planned retry
     */
    List<ConsumeRecord> findFailed(@Nullable String consumerGroup, boolean exhaustedOnly, int limit);

    /** Counts what {@link #findFailed} would find without a limit. */
    long countFailed(@Nullable String consumerGroup, boolean exhaustedOnly);

    /**
     * Counts failed records, exhausted ones and the largest number of failures in one statement that an index serves, for gauges.
     *
     * @param limit where to stop counting, at least 1
     * @throws UnsupportedOperationException if the store does not support it; the default
     */
    default ConsumeFailures countFailures(int limit) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override countFailures");
    }

    /** The name of the table, for messages; null, the default, if there is none. */
    default @Nullable String tableName() {
        return null;
    }

    /** Gives a failed event all its retries again, the first of them due now; false if there is no such record or it has not failed. */
    boolean replay(String consumerGroup, String eventId);

    /** As {@link #replay} for all exhausted events of a group. */
    int replayExhausted(String consumerGroup);

    /**
     * Deletes records that are older than the retention, of events that were handled, or have failed and will not be retried by a runner.
     *
     * @return how many
     */
    int purge(Duration retention, int limit);
}
