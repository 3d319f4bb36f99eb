package outbox.inbox;

import outbox.EventEnvelope;
import outbox.internal.text.ContentMask;
import outbox.internal.text.ErrorText;
import outbox.internal.text.StoredText;

/** The text that is recorded for a failure: it fits the record, every database can store it, and it does not contain the event's content. */
final class FailureSummary {

    private FailureSummary() {}

    /** The class and the message of the error, with the event's payload and header values masked. */
    static String of(Throwable error, EventEnvelope event) {
        return limit(ErrorText.of(error, ContentMask.of(event)));
    }

    static String limit(String text) {
        return StoredText.fit(text, MarkConsumeFailedCommand.MAX_ERROR_LENGTH);
    }
}
