package outbox;

import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.spi.PayloadTransformer;

/** The payload as a builder was given it, in one of its forms. Not thread-safe. */
final class GivenPayload {

    /** What lies in a column of 255 characters, and goes through headers of any protocol. */
    private static final Pattern CONTENT_TYPE = Pattern.compile("[!-.0-~]{1,127}/[ -~]{1,127}");

    private @Nullable String json;
    private byte @Nullable [] utf8;
    private byte @Nullable [] bytes;
    private String contentType = EventEnvelope.JSON;
    private @Nullable Payload copied;

    void json(@Nullable String text) {
        json = text;
        copied = null;
    }

    void utf8(byte @Nullable [] text) {
        utf8 = text == null ? null : text.clone();
        copied = null;
    }

    void bytes(byte @Nullable [] content, String type) {
        if (!CONTENT_TYPE.matcher(type).matches()) {
            throw new IllegalArgumentException(
                    "contentType must be a media type of at most 255 characters of ASCII, such as application/avro, was "
                            + (type.length() > 255
                                    ? type.length() + " characters"
                                    : '"' + type.replaceAll("[^ -~]", "?") + '"'));
        }
        bytes = content == null ? null : content.clone();
        contentType = type;
        copied = null;
    }

    void of(Payload payload) {
        copied = payload;
    }

    /** JSON stays text however it is given; only what a transformer has made of it does not. */
    Payload payload(Map<String, ?> headers) {
        if (copied != null) {
            return copied;
        }
        requireOne();
        if (json != null) {
            return Payload.ofJson(json);
        }
        if (utf8 != null) {
            return Payload.ofBytes(utf8);
        }
        if (bytes == null) {
            throw new IllegalArgumentException(
                    "payload is missing; set payloadJson or payloadBytes, or payload for what is not text");
        }
        boolean transformed = headers.containsKey(PayloadTransformer.KEY_HEADER);
        return EventEnvelope.JSON.equalsIgnoreCase(contentType) && !transformed
                ? Payload.ofBytes(bytes)
                : Payload.binary(bytes, contentType, transformed);
    }

    private void requireOne() {
        if (json != null && utf8 != null) {
            throw new IllegalArgumentException("payloadJson and payloadBytes are both set; set one of them");
        }
        if (bytes != null && (json != null || utf8 != null)) {
            throw new IllegalArgumentException(
                    "payload and payload" + (json != null ? "Json" : "Bytes") + " are both set; set one of them");
        }
    }
}
