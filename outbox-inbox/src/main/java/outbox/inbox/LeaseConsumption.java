package outbox.inbox;

import outbox.internal.transaction.RolledBackWork;

/**
 * Consumes with a lease (see {@link Acquisition#LEASE}): acquire and commit; then handle, mark and commit.
 *
 * <p>A process that dies in between leaves a lease that expires. A late one finds the record under another attempt's id when marking it,
 * and rolls back. The mark locks the record until the commit, so nobody can take it over between the two.
 */
final class LeaseConsumption {

    private final ConsumeParts parts;

    LeaseConsumption(ConsumeParts parts) {
        this.parts = parts;
    }

    /** Returns how the event was acquired, and so handled, or why not. */
    AcquireConsumeResult consume(Arrival arrival, String attempt) {
        AcquireConsumeResult result = acquire(arrival, attempt);
        if (result.acquired()) {
            parts.metrics().incrementAcquired(arrival.consumerGroup());
            refuseIfExhausted(arrival, attempt, result);
            handle(arrival, attempt, result.retryCount());
        }
        return result;
    }

    /** In a transaction of its own, so nothing is left of it when it is rolled back. */
    private AcquireConsumeResult acquire(Arrival arrival, String attempt) {
        for (int tries = 1; ; tries++) {
            try {
                return parts.repository().tryAcquire(arrival.wish(attempt));
            } catch (RuntimeException e) {
                if (tries == RolledBackWork.TRIES || !RolledBackWork.isWorthRepeating(e)) {
                    throw e;
                }
            }
            RolledBackWork.pause();
        }
    }

    /** An event that kills its process again and again leaves only expired leases behind. */
    private void refuseIfExhausted(Arrival arrival, String attempt, AcquireConsumeResult result) {
        boolean leaseExpired = result.state() == AcquireConsumeState.ACQUIRED && result.retryCount() > 0;
        if (leaseExpired && result.retryCount() > arrival.options().maxRetry()) {
            EventConsumeFailedException failure = new EventConsumeFailedException(
                    "The handler of " + arrival + " was not called: its lease has expired and no retry is left", null);
            parts.failures().recordExhausted(arrival, attempt, "lease expired", failure);
            throw failure;
        }
    }

    private void handle(Arrival arrival, String attempt, int failedBefore) {
        try {
            parts.transactions().run(arrival, () -> {
                parts.handlers().run(arrival);
                markSuccess(arrival, attempt);
            });
        } catch (ConsumeLeaseLostException e) {
            parts.metrics().incrementLeaseLost(arrival.consumerGroup());
            throw e;
        } catch (RuntimeException | Error e) {
            Throwable failure = HandlerFailure.unwrap(e);
            parts.failures().record(arrival, attempt, failedBefore, failure);
            throw HandlerFailure.rethrow(arrival, failure);
        }
    }

    private void markSuccess(Arrival arrival, String attempt) {
        MarkConsumeSuccessCommand command = new MarkConsumeSuccessCommand(
                arrival.consumerGroup(), arrival.event().eventId(), attempt);
        if (!parts.repository().markSuccess(command)) {
            throw new ConsumeLeaseLostException("The lease of " + arrival
                    + " was lost to another consumer, and the handler's work is rolled back; lockTtl is "
                    + arrival.options().lockTtl() + " and must be longer than the handler takes");
        }
    }
}
