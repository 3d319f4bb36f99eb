package outbox;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A payload as text and as UTF-8 bytes. The other form is made when it is first asked for and then kept, so a payload is encoded at most once.
 */
final class Payload {

    private final String json;
    private final long sizeInMemory;

    private volatile byte @Nullable [] bytes;

    private Payload(String json, long utf8Length, byte @Nullable [] bytes) {
        this.json = json;
        this.bytes = bytes;
        this.sizeInMemory = sizeOf(json, utf8Length) + (bytes == null ? 0 : bytes.length);
    }

    static Payload ofJson(String json) {
        long length = utf8Length(json);
        requireFits(length);
        return new Payload(json, length, null);
    }

    static Payload ofBytes(byte[] bytes) {
        requireFits(bytes.length);
        byte[] copy = bytes.clone();
        return new Payload(decode(copy), copy.length, copy);
    }

    /** A JVM stores ASCII text with one byte per character and may need two for other text. */
    private static long sizeOf(String json, long utf8Length) {
        return utf8Length == json.length() ? utf8Length : 2L * json.length();
    }

    /** How many bytes it takes in memory, at most, not counting the form that is made later. */
    long sizeInMemory() {
        return sizeInMemory;
    }

    String json() {
        return json;
    }

    byte[] copyOfBytes() {
        byte[] encoded = bytes;
        if (encoded == null) {
            encoded = json.getBytes(StandardCharsets.UTF_8);
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
                    "payloadBytes must be valid UTF-8, because the payload is stored as text; encode binary data, for example as Base64",
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

    private static void requireFits(long length) {
        if (length > EventEnvelope.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("payload must be at most " + EventEnvelope.MAX_PAYLOAD_BYTES
                    + " bytes of UTF-8, was " + length + "; store large content elsewhere and send a reference");
        }
    }
}
