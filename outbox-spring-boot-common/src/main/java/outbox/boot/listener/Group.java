package outbox.boot.listener;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.Delivery;
import outbox.Outcome;
import outbox.PermanentFailureException;
import outbox.RetryAfterException;
import outbox.inbox.Acquisition;
import outbox.inbox.ConsumeOptions;
import outbox.inbox.ConsumeRecord;
import outbox.inbox.ConsumeResult;
import outbox.inbox.ConsumeStatus;
import outbox.inbox.EventConsumeFailedException;
import outbox.inbox.MarkConsumeFailedCommand;

/** One group's listener of a type of events, with its record of each. */
final class Group {

    private static final Duration SOON = Duration.ofSeconds(1);

    private final String name;
    private final ListenerMethod method;
    private final GroupRecords records;
    private final ConsumeOptions options;

    /** How a group stands to an event after it was asked. */
    sealed interface Standing {

        /** It has handled the event. */
        record Done() implements Standing {}

        /** It will try again. */
        record Waiting(Duration delay) implements Standing {}

        /** It has given up. */
        record Dead(String error) implements Standing {}
    }

    Group(String name, ListenerMethod method, GroupRecords records, ListenerDefaults defaults) {
        this.name = name;
        this.method = method;
        this.records = records;
        Said said = method.said();
        this.options = ConsumeOptions.defaults()
                .withAcquisition(said.transaction() ? Acquisition.TRANSACTION : Acquisition.LEASE)
                .withMaxRetry(said.maxAttempts(defaults.maxAttempts()) - 1)
                .withBackoff(ListenerMethod.first(said, defaults), ListenerMethod.longest(said, defaults));
    }

    String name() {
        return name;
    }

    boolean holdsKey() {
        return method.said().holdsKey();
    }

    /** Lets it handle the event, unless it has done so, has given up, or must wait. */
    Standing deliver(Delivery delivery) {
        Optional<ConsumeRecord> before = find(delivery);
        if (before.isPresent() && before.get().status() == ConsumeStatus.SUCCEEDED) {
            return new Standing.Done();
        }
        if (before.isPresent() && before.get().exhausted()) {
            return dead(before.get());
        }
        try {
            ConsumeResult result =
                    records.template().consume(name, delivery.event(), event -> handle(delivery), options);
            Duration retryIn = result.retryIn();
            return result.done() ? new Standing.Done() : new Standing.Waiting(retryIn == null ? SOON : retryIn);
        } catch (RuntimeException e) {
            return afterFailure(delivery, e);
        }
    }

    private void handle(Delivery delivery) throws Exception {
        Outcome outcome = method.call(delivery);
        Throwable failure = outcome.asFailure();
        if (failure instanceof Exception exception) {
            throw exception;
        }
        if (failure instanceof Error error) {
            throw error;
        }
    }

    /** The failure is recorded; what the method itself said of the next time counts more than the doubling. */
    private Standing afterFailure(Delivery delivery, RuntimeException thrown) {
        Throwable failure = thrown instanceof EventConsumeFailedException ? thrown.getCause() : thrown;
        ConsumeRecord record = find(delivery).orElse(null);
        if (record == null || record.status() != ConsumeStatus.FAILED) {
            throw thrown; // not the method's failure: no record tells of it
        }
        if (failure instanceof PermanentFailureException) {
            mark(delivery, record, null);
            return dead(record);
        }
        if (record.exhausted()) {
            return dead(record);
        }
        if (failure instanceof RetryAfterException asked) {
            mark(delivery, record, asked.delay());
            return new Standing.Waiting(asked.delay());
        }
        return new Standing.Waiting(Duration.between(record.updatedAt(), record.nextRetryAt()));
    }

    private void mark(Delivery delivery, ConsumeRecord record, @Nullable Duration retryIn) {
        String error = record.errorMsg();
        records.repository()
                .markFailed(new MarkConsumeFailedCommand(
                        name, delivery.event(), null, error == null ? "failed" : error, retryIn, false));
    }

    private static Standing dead(ConsumeRecord record) {
        String error = record.errorMsg();
        return new Standing.Dead(error == null ? "no reason is recorded" : error);
    }

    private Optional<ConsumeRecord> find(Delivery delivery) {
        return records.repository().find(name, delivery.eventId());
    }

    /** Whoever replays the event finds this group ready for it. */
    void getReadyForReplay(Delivery delivery) {
        records.records().replay(name, delivery.eventId());
    }
}
