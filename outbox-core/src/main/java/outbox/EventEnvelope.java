package outbox;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An event on its way from business code to its listener. Immutable and safe to share between threads.
 *
 * <p>The event type and exactly one form of payload are required; everything else has a default. The payload is at most
 * {@value #MAX_PAYLOAD_BYTES} bytes, of UTF-8 if it is text. The database keeps {@code occurredAt} to the microsecond.
 */
public final class EventEnvelope {

    /** The largest payload, in bytes of UTF-8: one mebibyte. */
    public static final int MAX_PAYLOAD_BYTES = 1_048_576;

    /** The content type of payloads that are text. */
    public static final String JSON = "application/json";

    /** The longest time a delivery can be delayed: a hundred years. */
    public static final Duration LONGEST_DELAY = Duration.ofDays(36_500);

    /** Databases cannot store later times. */
    private static final Instant END_OF_TIME = Instant.parse("9999-12-31T00:00:00Z");

    /** The objects themselves, with ids, types and times. */
    private static final long FIXED_SIZE = 512;

    /** The objects that make up a header. */
    private static final long HEADER_SIZE = 128;

    private static final UlidGenerator IDS = new UlidGenerator();

    private final String eventId;
    private final String eventType;
    private final Instant occurredAt;
    private final String aggregateType;
    private final @Nullable String aggregateId;
    private final @Nullable String tenantId;
    private final Map<String, @Nullable String> headers;
    private final @Nullable Instant availableAt;
    private final @Nullable Duration deliverAfter;
    private final Payload payload;
    private final long sizeInMemory;

    private EventEnvelope(Builder builder) {
        this.eventType = builder.eventType;
        this.payload = builder.payload.payload(builder.headers);
        this.eventId = builder.eventId == null ? IDS.next() : builder.eventId;
        this.occurredAt =
                builder.occurredAt == null ? Instant.now().truncatedTo(ChronoUnit.MICROS) : builder.occurredAt;
        this.aggregateType = builder.aggregateType;
        this.aggregateId = builder.aggregateId;
        this.tenantId = builder.tenantId;
        this.headers = builder.headers;
        this.availableAt = builder.availableAtOtherThan(occurredAt);
        this.deliverAfter = builder.deliverAfter;
        this.sizeInMemory = FIXED_SIZE + payload.sizeInMemory() + sizeOf(headers);
    }

    private EventEnvelope(EventEnvelope other, Map<String, @Nullable String> headers) {
        this.eventType = other.eventType;
        this.payload = other.payload;
        this.eventId = other.eventId;
        this.occurredAt = other.occurredAt;
        this.aggregateType = other.aggregateType;
        this.aggregateId = other.aggregateId;
        this.tenantId = other.tenantId;
        this.headers = headers;
        this.availableAt = other.availableAt;
        this.deliverAfter = other.deliverAfter;
        this.sizeInMemory = FIXED_SIZE + payload.sizeInMemory() + sizeOf(headers);
    }

    private static long sizeOf(Map<String, @Nullable String> headers) {
        long size = 0;
        for (Map.Entry<String, @Nullable String> header : headers.entrySet()) {
            String value = header.getValue();
            size += HEADER_SIZE + 2L * (header.getKey().length() + (value == null ? 0 : value.length()));
        }
        return size;
    }

    /** Starts an event of the given type. */
    public static Builder builder(String eventType) {
        return new Builder(eventType);
    }

    /** Starts an event of the given type. */
    public static Builder builder(EventType eventType) {
        return new Builder(Objects.requireNonNull(eventType, "eventType").name());
    }

    /** A new event id: a ULID, greater than any made before in this process. */
    public static String newEventId() {
        return IDS.next();
    }

    /** An event with nothing but a type and a JSON payload. */
    public static EventEnvelope ofJson(String eventType, String payloadJson) {
        return builder(eventType).payloadJson(payloadJson).build();
    }

    /** An event with nothing but a type and a JSON payload. */
    public static EventEnvelope ofJson(EventType eventType, String payloadJson) {
        return builder(eventType).payloadJson(payloadJson).build();
    }

    /**
     * An event with nothing but a type and a payload that need not be text.
     *
     * @param contentType what the bytes are, such as {@code application/avro}
     */
    public static EventEnvelope ofBytes(String eventType, byte[] payload, String contentType) {
        return builder(eventType).payload(payload, contentType).build();
    }

    /** As {@link #ofBytes(String, byte[], String)}. */
    public static EventEnvelope ofBytes(EventType eventType, byte[] payload, String contentType) {
        return builder(eventType).payload(payload, contentType).build();
    }

    /** A builder that has everything that this event has, its id too. */
    public Builder toBuilder() {
        Builder builder = new Builder(eventType);
        builder.eventId = eventId;
        builder.occurredAt = occurredAt;
        builder.aggregateType = aggregateType;
        builder.aggregateId = aggregateId;
        builder.tenantId = tenantId;
        builder.headers = headers;
        builder.availableAt = availableAt;
        builder.deliverAfter = deliverAfter;
        builder.payload.of(payload);
        return builder;
    }

    /** Identifies the event for ever; consumers use it to recognise a repeated delivery. */
    public String eventId() {
        return eventId;
    }

    public String eventType() {
        return eventType;
    }

    public Instant occurredAt() {
        return occurredAt;
    }

    /** The aggregate type's name; {@link AggregateType#GLOBAL} if none was given. */
    public String aggregateType() {
        return aggregateType;
    }

    public @Nullable String aggregateId() {
        return aggregateId;
    }

    public @Nullable String tenantId() {
        return tenantId;
    }

    /** The headers in the order in which they were given; unmodifiable, values may be null. */
    public Map<String, @Nullable String> headers() {
        return headers;
    }

    /**
     * The same event with these headers instead of its own.
     *
     * @throws IllegalArgumentException if a key is null
     */
    public EventEnvelope withHeaders(Map<String, ? extends @Nullable String> others) {
        return new EventEnvelope(this, new Builder(eventType).headers(others).headers);
    }

    /**
     * The time before which the event must not be delivered; null if none was given. A delivered event does not have it: a listener sees
     * null. It may be a microsecond later than the time that was given, because a row whose times are equal is an event without a delay.
     */
    public @Nullable Instant availableAt() {
        return availableAt;
    }

    /** How long after its insert the event may be delivered; null if nothing was given. A delivered event does not have it. */
    public @Nullable Duration deliverAfter() {
        return deliverAfter;
    }

    /** Whether the event has a delay. Such an event does not go through the hot queue: the poller finds it when it is due. */
    public boolean isDelayed() {
        return availableAt != null || deliverAfter != null;
    }

    /**
     * The payload as text.
     *
     * @throws IllegalStateException if the payload is not text, see {@link #isBinary()}: nothing that could be returned would be the payload
     */
    public String payloadJson() {
        String text = payload.text();
        if (text == null) {
            throw new IllegalStateException("The payload of event " + eventId.replaceAll("\\R", "\\\\n") + " is "
                    + payload.contentType() + ", not JSON; read payloadBytes()");
        }
        return text;
    }

    /** Whether the payload is bytes that are not text, of the {@link #contentType()}. Then only {@link #payloadBytes()} has it. */
    public boolean isBinary() {
        return payload.text() == null;
    }

    /** What the payload is: {@value #JSON} if it is text, otherwise what {@link Builder#payload(byte[], String)} was told. */
    public String contentType() {
        return payload.contentType();
    }

    /** The payload as it is, or as UTF-8 if it is text; as a copy. */
    public byte[] payloadBytes() {
        return payload.copyOfBytes();
    }

    /** About how many bytes the event takes in memory: payload, headers and a fixed part. Queues are bounded by it. */
    public long sizeInMemory() {
        return sizeInMemory;
    }

    /** Identifies the event, in one line, without showing its payload or headers. */
    @Override
    public String toString() {
        String names = eventId + ", " + aggregateType + "/" + eventType + ", aggregateId=" + aggregateId;
        return "EventEnvelope[" + names.replaceAll("\\R", "\\\\n") + "]";
    }

    /** Collects the parts of an event. Not thread-safe. */
    public static final class Builder {

        private final String eventType;
        private @Nullable String eventId;
        private @Nullable Instant occurredAt;
        private static final String GLOBAL = AggregateType.GLOBAL.name();

        private String aggregateType = GLOBAL;
        private @Nullable String aggregateId;
        private @Nullable String tenantId;
        private Map<String, @Nullable String> headers = Map.of();
        private @Nullable Instant availableAt;
        private @Nullable Duration deliverAfter;
        private final GivenPayload payload = new GivenPayload();

        private Builder(String eventType) {
            this.eventType = requireText("eventType", Objects.requireNonNull(eventType, "eventType"));
        }

        /** Default: a new ULID, greater than any made before in this process. */
        public Builder eventId(@Nullable String eventId) {
            this.eventId = eventId == null ? null : requireText("eventId", eventId);
            return this;
        }

        /** Default: now. */
        public Builder occurredAt(@Nullable Instant occurredAt) {
            this.occurredAt = occurredAt;
            return this;
        }

        /** Default (and for null): {@link AggregateType#GLOBAL}. */
        public Builder aggregateType(@Nullable String aggregateType) {
            this.aggregateType = aggregateType == null ? GLOBAL : aggregateType;
            return this;
        }

        /** Default (and for null): {@link AggregateType#GLOBAL}. */
        public Builder aggregateType(@Nullable AggregateType aggregateType) {
            return aggregateType(aggregateType == null ? null : aggregateType.name());
        }

        /** Default: none. */
        public Builder aggregateId(@Nullable String aggregateId) {
            this.aggregateId = aggregateId;
            return this;
        }

        /** Metadata that is stored and handed to the listener; the framework itself does nothing with it. Default: none. */
        public Builder tenantId(@Nullable String tenantId) {
            this.tenantId = tenantId;
            return this;
        }

        /**
         * Replaces the headers by a copy of the given ones. Default: none.
         *
         * @throws IllegalArgumentException if a key is null
         */
        public Builder headers(@Nullable Map<String, ? extends @Nullable String> headers) {
            Map<String, @Nullable String> copy = new LinkedHashMap<>();
            if (headers != null) {
                headers.forEach((key, value) -> copy.put(requireKey(key), value));
            }
            this.headers = Collections.unmodifiableMap(copy);
            return this;
        }

        /**
         * Delays the delivery until the given time. A time in the past means now. Set this or {@link #deliverAfter(Duration)}.
         * Default (and for null): no delay.
         *
         * @throws IllegalArgumentException if it is after the year 9999
         */
        public Builder availableAt(@Nullable Instant availableAt) {
            if (availableAt != null && !availableAt.isBefore(END_OF_TIME)) {
                throw new IllegalArgumentException("availableAt must be before " + END_OF_TIME + ", was " + availableAt
                        + "; leave it out for an event without a delay");
            }
            this.availableAt = availableAt;
            return this;
        }

        /**
         * Delays the delivery by the given time, counted from the insert; where several processes share the table, by the database's
         * clock. Set this or {@link #availableAt(Instant)}. Default (and for null and zero): no delay.
         *
         * @throws IllegalArgumentException if it is negative or longer than {@link #LONGEST_DELAY}
         */
        public Builder deliverAfter(@Nullable Duration deliverAfter) {
            if (deliverAfter != null && (deliverAfter.isNegative() || deliverAfter.compareTo(LONGEST_DELAY) > 0)) {
                throw new IllegalArgumentException("deliverAfter must be between zero and " + LONGEST_DELAY.toDays()
                        + " days, was " + deliverAfter);
            }
            this.deliverAfter = deliverAfter == null || deliverAfter.isZero() ? null : deliverAfter;
            return this;
        }

        /** The payload as text; set this or {@link #payloadBytes(byte[])}. */
        public Builder payloadJson(@Nullable String payloadJson) {
            payload.json(payloadJson);
            return this;
        }

        /** The payload as UTF-8, copied at once; set this or {@link #payloadJson(String)}. */
        public Builder payloadBytes(byte @Nullable [] payloadBytes) {
            payload.utf8(payloadBytes);
            return this;
        }

        /**
         * The payload as bytes that need not be text, such as Avro or Protobuf, copied at once; instead of the other two. A table needs version 8
         * for it. With {@value EventEnvelope#JSON} it is the same as {@link #payloadBytes(byte[])}.
         *
         * @param contentType what the bytes are: a media type of ASCII, with parameters if need be
         * @throws IllegalArgumentException if the content type is none
         */
        public Builder payload(byte @Nullable [] bytes, String contentType) {
            payload.bytes(bytes, Objects.requireNonNull(contentType, "contentType"));
            return this;
        }

        /**
         * Makes the event.
         *
         * @throws IllegalArgumentException if no or several forms of payload were given, or the payload is too large or is
         *     not valid Unicode, or both {@code availableAt} and {@code deliverAfter} were given
         */
        public EventEnvelope build() {
            if (availableAt != null && deliverAfter != null) {
                throw new IllegalArgumentException("availableAt " + availableAt + " and deliverAfter " + deliverAfter
                        + " are both set; set one of them");
            }
            return new EventEnvelope(this);
        }

        /** A row whose due time equals its creation time is due whatever the clocks say, so a delayed event must not look like that. */
        private @Nullable Instant availableAtOtherThan(Instant occurredAt) {
            if (availableAt == null) {
                return null;
            }
            Instant at =
                    (availableAt.isBefore(Instant.EPOCH) ? Instant.EPOCH : availableAt).truncatedTo(ChronoUnit.MICROS);
            return at.equals(occurredAt.truncatedTo(ChronoUnit.MICROS)) ? at.plus(1, ChronoUnit.MICROS) : at;
        }

        private static String requireText(String name, String value) {
            if (value.isBlank()) {
                throw new IllegalArgumentException(name + " must not be empty");
            }
            return value;
        }

        private static String requireKey(@Nullable String key) {
            if (key == null) {
                throw new IllegalArgumentException("headers cannot contain null keys");
            }
            return key;
        }
    }
}
