package outbox.internal.payload;

import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.RetryAfterException;
import outbox.internal.text.StoredText;
import outbox.spi.OutboxStore;
import outbox.spi.PayloadTransformer;
import outbox.spi.PayloadTransformer.Transformed;
import outbox.spi.UnknownPayloadKeyException;

/** What a transformer makes of events on their way into the table, and back. Thread-safe. */
public final class PayloadTransforms {

    /** Changes nothing, and restores nothing. */
    public static final PayloadTransforms NONE = new PayloadTransforms(null);

    /** After which an event is tried again whose key is not known here: the key may come, or a process that has it. */
    public static final Duration KEY_MAY_COME_WITHIN = Duration.ofMinutes(1);

    private static final int LONGEST_ID_SHOWN = 64;

    private final @Nullable PayloadTransformer transformer;

    private PayloadTransforms(@Nullable PayloadTransformer transformer) {
        this.transformer = transformer;
    }

    /** Those of a transformer. */
    public static PayloadTransforms of(@Nullable PayloadTransformer transformer) {
        return transformer == null ? NONE : new PayloadTransforms(transformer);
    }

    /** Refuses a store that has no room for what is made. */
    public void requireStore(OutboxStore store) {
        if (transformer != null && !store.canKeepBytes()) {
            throw new IllegalArgumentException("payloadTransformer needs a store that keeps bytes, but "
                    + store.getClass().getName() + " does not; override canKeepBytes, or leave payloadTransformer out");
        }
    }

    /** Events as they are to be stored, in the order in which they are asked for. */
    @FunctionalInterface
    public interface Stored {

        /** Some of the events, or all. */
        List<EventEnvelope> of(List<EventEnvelope> events);
    }

    /** Transforms all of the events, so that none is inserted if one of them cannot be. */
    public Stored store(List<EventEnvelope> events) {
        PayloadTransformer given = transformer;
        if (given == null) {
            return some -> some;
        }
        IdentityHashMap<EventEnvelope, EventEnvelope> stored = new IdentityHashMap<>();
        events.forEach(event -> stored.put(event, stored(event, given)));
        return some -> some.stream()
                .map(event -> Objects.requireNonNull(stored.get(event)))
                .toList();
    }

    private static EventEnvelope stored(EventEnvelope event, PayloadTransformer given) {
        if (event.headers().containsKey(PayloadTransformer.KEY_HEADER)) {
            throw reserved(event);
        }
        Transformed transformed;
        try {
            transformed = given.transform(event.payloadBytes(), event);
        } catch (Exception e) {
            throw new OutboxException("Cannot transform the payload of " + event + "; nothing was written", e);
        }
        if (transformed == null) {
            return event;
        }
        Map<String, @Nullable String> headers = new LinkedHashMap<>(event.headers());
        headers.put(PayloadTransformer.KEY_HEADER, transformed.keyId());
        return event.toBuilder()
                .headers(headers)
                .payload(transformed.payload(), event.contentType())
                .build();
    }

    private static IllegalArgumentException reserved(EventEnvelope event) {
        return new IllegalArgumentException(event + " has the header \"" + PayloadTransformer.KEY_HEADER
                + "\", which belongs to payload transformers; give the header another name");
    }

    /** Refuses bytes that readers would take for what a transformer has made. */
    public static void requireOwnHeaders(EventEnvelope event) {
        if (isTransformed(event)) {
            throw reserved(event);
        }
    }

    /** Whether the event is as it was stored, and must be restored. */
    public static boolean isTransformed(EventEnvelope event) {
        return event.isBinary() && event.headers().containsKey(PayloadTransformer.KEY_HEADER);
    }

    /**
     * The event as it was written.
     *
     * @throws RetryAfterException if its key is not known here: that is not the event's fault, and may change
     */
    public EventEnvelope restore(EventEnvelope stored) throws Exception {
        if (!isTransformed(stored)) {
            return stored;
        }
        String keyId = String.valueOf(stored.headers().get(PayloadTransformer.KEY_HEADER));
        PayloadTransformer given = transformer;
        if (given == null) {
            throw unknown(keyId, "this process has no payloadTransformer", null);
        }
        Map<String, @Nullable String> headers = new LinkedHashMap<>(stored.headers());
        headers.remove(PayloadTransformer.KEY_HEADER);
        EventEnvelope written = stored.toBuilder().headers(headers).build();
        byte[] payload;
        try {
            payload = given.restore(stored.payloadBytes(), keyId, written);
        } catch (UnknownPayloadKeyException e) {
            throw unknown(e.keyId(), "the payloadTransformer of this process does not know it", e);
        }
        return stored.toBuilder()
                .headers(headers)
                .payload(Objects.requireNonNull(payload, "the payloadTransformer restored null"), stored.contentType())
                .build();
    }

    private static RetryAfterException unknown(String keyId, String why, @Nullable Throwable cause) {
        String shown = StoredText.fit(StoredText.inOneLine(keyId), LONGEST_ID_SHOWN);
        return new RetryAfterException(
                KEY_MAY_COME_WITHIN,
                false,
                "The payload is transformed with the key \"" + shown + "\", and " + why
                        + "; the event waits for the key, or for a process that has it, without counting an attempt",
                cause);
    }
}
