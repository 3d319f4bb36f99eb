package outbox.internal.dead;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.DeadEvent;
import outbox.EventEnvelope;
import outbox.PermanentFailureException;
import outbox.internal.text.ErrorText;
import outbox.internal.text.StoredText;
import outbox.util.DefaultJsonCodec;
import outbox.util.JsonCodec;

/**
 * An event of the outbox itself, which says that another one has ended DEAD and that somebody is still to be told. It is written in the transaction
 * of the mark, so it is there if and only if the event is DEAD, and is delivered like every other event. It has no content of the event: that is
 * read from its row.
 */
public final class DeathNotice {

    /** The event type, which nobody else may use. */
    public static final String TYPE = "outbox.EventDied";

    /** Not the codec that was given for headers, which may be anybody's. */
    private static final JsonCodec CODEC = new DefaultJsonCodec();

    private DeathNotice() {}

    /** Whether events of that type are notices. */
    public static boolean isType(@Nullable String eventType) {
        return TYPE.equals(eventType);
    }

    /** The notice of an event. */
    static EventEnvelope of(DeadEvent dead) {
        Map<String, @Nullable String> parts = new LinkedHashMap<>();
        parts.put("eventId", fit(dead.eventId()));
        parts.put("eventType", fit(dead.eventType()));
        parts.put("aggregateType", fit(dead.aggregateType()));
        parts.put("aggregateId", fit(dead.aggregateId()));
        parts.put("tenantId", fit(dead.tenantId()));
        parts.put("error", fit(dead.error()));
        parts.put("attempts", Integer.toString(dead.attempts()));
        parts.put("holdsKey", Boolean.toString(dead.holdsKey()));
        parts.put("diedAt", dead.diedAt().toString());
        return EventEnvelope.builder(TYPE)
                .tenantId(fit(dead.tenantId()))
                .payloadJson(Objects.requireNonNull(CODEC.toJson(parts)))
                .build();
    }

    /** A row that cannot be decoded may have any text; it must not keep its event from ending. */
    private static @Nullable String fit(@Nullable String text) {
        return text == null ? null : StoredText.fit(text, ErrorText.MAX_LENGTH);
    }

    /**
     * What a notice says.
     *
     * @throws PermanentFailureException if somebody else has written it
     */
    static DeadEvent read(EventEnvelope notice) throws PermanentFailureException {
        try {
            Map<String, @Nullable String> parts = CODEC.parseObject(notice.payloadJson());
            return new DeadEvent(
                    Objects.requireNonNull(parts.get("eventId"), "eventId"),
                    parts.get("eventType"),
                    parts.get("aggregateType"),
                    parts.get("aggregateId"),
                    parts.get("tenantId"),
                    Objects.requireNonNull(parts.get("error"), "error"),
                    Integer.parseInt(Objects.requireNonNull(parts.get("attempts"), "attempts")),
                    Boolean.parseBoolean(parts.get("holdsKey")),
                    Instant.parse(Objects.requireNonNull(parts.get("diedAt"), "diedAt")),
                    null);
        } catch (RuntimeException e) {
            throw new PermanentFailureException(
                    "it is of type " + TYPE
                            + ", which the outbox itself uses, and was not written by it; use another type",
                    e);
        }
    }
}
