package outbox;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A payload. Text has two forms, as text and as UTF-8: the other one is made when it is first asked for and then kept, so a payload is encoded
 * at most once. What is not text has only its bytes.
 */
final class Payload {

    /** How much a transformer may add: a payload of the largest size can be encrypted too. */
    private static final int MOST_ADDED = 65_536;

    private final @Nullable String text;
    private final String contentType;
    private final long sizeInMemory;

    private volatile byte @Nullable [] bytes;

    private Payload(@Nullable String text, String contentType, long sizeInMemory, byte @Nullable [] bytes) {
        this.text = text;
        this.contentType = contentType;
        this.sizeInMemory = sizeInMemory;
        this.bytes = bytes;
    }

    static Payload ofJson(String json) {
        long length = utf8Length(json);
        requireFits(length, "bytes of UTF-8", EventEnvelope.MAX_PAYLOAD_BYTES);
        return new Payload(json, EventEnvelope.JSON, sizeOf(json, length), null);
    }

    /** Text that is given as its bytes. */
    static Payload ofBytes(byte[] bytes) {
        requireFits(bytes.length, "bytes of UTF-8", EventEnvelope.MAX_PAYLOAD_BYTES);
        byte[] copy = bytes.clone();
        String text = decode(copy);
        return new Payload(text, EventEnvelope.JSON, sizeOf(text, copy.length) + copy.length, copy);
    }

    /**
     * Bytes that are not text.
     *
     * @param transformed whether a transformer has made them, which may have added to them
     */
    static Payload binary(byte[] bytes, String contentType, boolean transformed) {
        int most = EventEnvelope.MAX_PAYLOAD_BYTES + (transformed ? MOST_ADDED : 0);
        requireFits(bytes.length, transformed ? "bytes after its transformation" : "bytes", most);
        return new Payload(null, contentType, bytes.length, bytes.clone());
    }

    /** A JVM stores ASCII text with one byte per character and may need two for other text. */
    private static long sizeOf(String json, long utf8Length) {
        return utf8Length == json.length() ? utf8Length : 2L * json.length();
    }

    /** How many bytes it takes in memory, at most, not counting the form that is made later. */
    long sizeInMemory() {
        return sizeInMemory;
    }

    /** The text; null if it is not text. */
    @Nullable
    String text() {
        return text;
    }

    String contentType() {
        return contentType;
    }

    byte[] copyOfBytes() {
        byte[] encoded = bytes;
        if (encoded == null) {
            encoded = text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
            bytes = encoded;
        }
        return encoded.clone();
    }

    private static String decode(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "payloadBytes must be valid UTF-8, because the payload is stored as text; give binary data with"
                            + " payload(bytes, contentType)",
                    e);
        }
    }

    /** Counts without encoding; a half of a surrogate pair has no UTF-8 form and would silently turn into '?'. */
    private static long utf8Length(String text) {
        long length = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                length++;
            } else if (c < 0x800) {
                length += 2;
            } else if (!Character.isSurrogate(c)) {
                length += 3;
            } else {
                requirePair(text, i);
                length += 4;
                i++;
            }
        }
        return length;
    }

    private static void requirePair(String text, int index) {
        boolean pair =
                index + 1 < text.length() && Character.isSurrogatePair(text.charAt(index), text.charAt(index + 1));
        if (!pair) {
            throw new IllegalArgumentException(
                    "payloadJson must be valid Unicode, but has an unpaired surrogate at index " + index);
        }
    }

    private static void requireFits(long length, String unit, int most) {
        if (length > most) {
            throw new IllegalArgumentException("payload must be at most " + most + " " + unit + ", was " + length
                    + "; store large content elsewhere and send a reference");
        }
    }
}
