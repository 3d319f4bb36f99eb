package outbox.inbox;

import outbox.EventEnvelope;
import outbox.internal.ContentMask;
import outbox.internal.ErrorText;
import outbox.internal.StoredText;

/** What is recorded of a failure: text that fits the record and that every database can store, without the event's content. */
final class FailureSummary {

    private FailureSummary() {}

    /** The class and the message of the error, without what stands in the event's payload and header values. */
    static String of(Throwable error, EventEnvelope event) {
        return limit(ErrorText.of(error, ContentMask.of(event)));
    }

    static String limit(String text) {
        return StoredText.fit(text, MarkConsumeFailedCommand.MAX_ERROR_LENGTH);
    }
}
