package outbox.inbox;

import org.jspecify.annotations.Nullable;
import outbox.internal.transaction.RolledBackWork;

/**
 * Consumes in one transaction (see {@link Acquisition#TRANSACTION}): the record is written as handled before the handler runs, and nobody
 * sees it until the handler's work is committed with it. No fencing is needed: while the transaction is open no other consumer gets past
 * its row, and if it ends without a commit there is no row.
 */
final class TransactionConsumption {

    private final ConsumeParts parts;

    TransactionConsumption(ConsumeParts parts) {
        this.parts = parts;
    }

    /** Returns how the event was acquired, and so handled, or why not. */
    AcquireConsumeResult consume(Arrival arrival, String attempt) {
        for (int tries = 1; ; tries++) {
            Attempt work = new Attempt(arrival, attempt);
            try {
                parts.transactions().run(arrival, work);
                return work.result();
            } catch (RuntimeException | Error e) {
                if (work.acquired != null && work.acquired.acquired()) {
                    Throwable failure = HandlerFailure.unwrap(e);
                    parts.failures().record(arrival, null, work.acquired.retryCount(), failure);
                    throw HandlerFailure.rethrow(arrival, failure);
                }
                if (tries == RolledBackWork.TRIES || !RolledBackWork.isWorthRepeating(e)) {
                    throw e;
                }
                RolledBackWork.pause();
            }
        }
    }

    /** One run of the transaction. */
    private final class Attempt implements Runnable {

        private final Arrival arrival;
        private final String name;
        private @Nullable AcquireConsumeResult acquired;

        private Attempt(Arrival arrival, String name) {
            this.arrival = arrival;
            this.name = name;
        }

        @Override
        public void run() {
            AcquireConsumeResult result = parts.repository().tryRecordSuccess(arrival.wish(name));
            acquired = result;
            if (result.acquired()) {
                parts.metrics().incrementAcquired(arrival.consumerGroup());
                parts.handlers().run(arrival);
            }
        }

        private AcquireConsumeResult result() {
            if (acquired == null) {
                throw new IllegalStateException("The TransactionRunner did not run its work for " + arrival);
            }
            return acquired;
        }
    }
}
