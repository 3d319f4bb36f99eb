package outbox.model;

import java.util.Arrays;
import java.util.Objects;

/**
 * A payload that is not text, as it lies in a row: bytes and what they are. Immutable.
 *
 * <p>What a {@link outbox.spi.PayloadTransformer} has made is bytes as well, and is told from others by a header.
 */
public final class BytesPayload {

    private final byte[] bytes;
    private final String contentType;

    private BytesPayload(byte[] bytes, String contentType) {
        this.bytes = bytes;
        this.contentType = contentType;
    }

    /** A payload with a copy of the bytes. */
    public static BytesPayload of(byte[] bytes, String contentType) {
        return new BytesPayload(bytes.clone(), Objects.requireNonNull(contentType, "contentType"));
    }

    /** The bytes, as a copy. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** What the bytes are, such as {@code application/avro}. */
    public String contentType() {
        return contentType;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BytesPayload that
                && contentType.equals(that.contentType)
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Tells the size, and never the content. */
    @Override
    public String toString() {
        return "BytesPayload[" + bytes.length + " bytes]";
    }
}
