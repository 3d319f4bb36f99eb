package outbox.testing.contract;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Listener;

/** A listener under test, and the receiver to which it brings events. One for each test. */
public interface ListenerFixture extends AutoCloseable {

    /** The listener, as its users get it. The contract sets its timeout, its retries and its breaker. Asked once. */
    Listener listener();

    /** What the receiver has accepted so far, in the order in which it came; something that came twice is there twice. */
    List<Received> received();

    /**
     * From now on the receiver refuses these events, and only these, in a way that says nothing about the others.
     *
     * @throws UnsupportedOperationException if it cannot be made to; the default
     */
    default void refuse(Set<String> eventIds) {
        throw new UnsupportedOperationException("a receiver that refuses some events");
    }

    /**
     * From now on the receiver answers nobody; what comes meanwhile may be accepted or lost.
     *
     * @throws UnsupportedOperationException if it cannot be made to; the default
     */
    default void hang() {
        throw new UnsupportedOperationException("a receiver that hangs");
    }

    /** From now on the receiver answers again, also those that are still waiting. Only after {@link #hang}. */
    default void answer() {
        throw new UnsupportedOperationException("a receiver that hangs");
    }

    /**
     * From now on nobody is there, or is there again.
     *
     * @throws UnsupportedOperationException if it cannot be made to; the default
     */
    default void away(boolean away) {
        throw new UnsupportedOperationException("a receiver that goes away");
    }

    /** Whether the receiver gets the headers of an event under their own names. Default: yes. */
    default boolean carriesHeaders() {
        return true;
    }

    /** The largest payload that the receiver takes, in characters of one byte. Default: the largest of an event. */
    default int largestPayload() {
        return EventEnvelope.MAX_PAYLOAD_BYTES;
    }

    @Override
    default void close() {}

    /**
     * What the receiver has got.
     *
     * @param aggregateId null if the event has none
     * @param headers at least those of the event; null values may be missing
     */
    record Received(
            String eventId,
            String eventType,
            @Nullable String aggregateId,
            String payload,
            Map<String, @Nullable String> headers) {}
}
