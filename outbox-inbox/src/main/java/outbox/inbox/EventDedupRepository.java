package outbox.inbox;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one record for each event of each consumer group, and decides who may handle it. Thread-safe.
 *
 * <p>All methods but {@link #markFailed} take part in the calling thread's transaction if there is one, and otherwise commit on their own.
 * None of them aborts the caller's transaction because another consumer was faster. The database's clock decides what is due and what has
 * expired.
 */
public interface EventDedupRepository {

    /** The name of the table with the records, for messages; null, the default, if there is none. */
    default @Nullable String tableName() {
        return null;
    }

    /**
     * The same repository, whose messages show the tenant of an event as the function returns it. Called by the template that it is given to.
     * By default this one, which then must not name tenants.
     */
    default EventDedupRepository withTenantInLogs(UnaryOperator<String> tenantInLogs) {
        return this;
    }

    /** Asks for the right to handle an event, with a lease. One statement if the event is new, handled or in progress. */
    AcquireConsumeResult tryAcquire(AcquireConsumeCommand command);

    /** Reads the record of an event. */
    Optional<ConsumeRecord> find(String consumerGroup, String eventId);

    /**
     * Marks an acquired event as handled, in the transaction of the handler's own work.
     *
     * @return false if another attempt has taken over the event: then the handler's work must be rolled back
     */
    boolean markSuccess(MarkConsumeSuccessCommand command);

    /**
     * Records a failure, in a transaction of its own, after that of the handler has been rolled back.
     *
     * @return false if the record no longer belongs to this attempt: it was taken over, or the event has been handled
     */
    boolean markFailed(MarkConsumeFailedCommand command);

    /**
     * Acquires an event and marks it as handled at once, in the transaction in which the handler is about to do its work; see
     * {@link Acquisition#TRANSACTION}. Needs such a transaction. By default two steps.
     */
    default AcquireConsumeResult tryRecordSuccess(AcquireConsumeCommand command) {
        AcquireConsumeResult result = tryAcquire(command);
        if (result.acquired()) {
            markSuccess(new MarkConsumeSuccessCommand(command.consumerGroup(), command.eventId(), command.lockedBy()));
        }
        return result;
    }

    /**
     * As {@link #tryRecordSuccess} for several events of one group, but only for those that have no record yet. By default one by one.
     *
     * @param commands requests for different events, all of the same group and attempt
     */
    default BatchAcquireResult tryRecordSuccesses(List<AcquireConsumeCommand> commands) {
        Set<String> acquired = new LinkedHashSet<>();
        Set<String> succeeded = new LinkedHashSet<>();
        for (AcquireConsumeCommand command : new ArrayList<>(commands)) {
            AcquireConsumeResult result = tryRecordSuccess(command);
            if (result.acquired()) {
                acquired.add(command.eventId());
            } else if (result.state() == AcquireConsumeState.REPLAY_SUCCEEDED) {
                succeeded.add(command.eventId());
            }
        }
        return new BatchAcquireResult(acquired, succeeded);
    }
}
