package outbox.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/**
 * Changes payloads on their way into the table and back before their listener gets them: encrypts or compresses them, so that what lies in the
 * table need not be readable. JSON and bytes alike. The table needs version 8. Must be thread-safe.
 *
 * <p>What is transformed is the payload alone. Types, ids, the tenant and headers stay readable, and so does what a listener says of a failure.
 *
 * <p>Each payload carries the id of its key in the header {@value #KEY_HEADER}, so several keys can be read at once: a new key is first made known to
 * all processes that deliver, and then written with. Listeners do not see that header.
 */
public interface PayloadTransformer {

    /** The header of a transformed event in the table. Events that are written must not have it. */
    String KEY_HEADER = "outbox-payload-key";

    /** The longest key id. */
    int LONGEST_KEY_ID = 255;

    /** What is to be stored, and by which key it can be restored. */
    final class Transformed {

        private final byte[] payload;
        private final String keyId;

        private Transformed(byte[] payload, String keyId) {
            this.payload = payload;
            this.keyId = keyId;
        }

        /**
         * What was made of a payload.
         *
         * @param payload of at most 64 KiB more than the largest payload; not copied
         * @param keyId by which {@link PayloadTransformer#restore} knows how to undo it; not secret
         * @throws IllegalArgumentException if the key id is blank or longer than {@value #LONGEST_KEY_ID} characters
         */
        public static Transformed of(byte[] payload, String keyId) {
            if (keyId.isBlank() || keyId.length() > LONGEST_KEY_ID) {
                throw new IllegalArgumentException("keyId must have from 1 to " + LONGEST_KEY_ID + " characters, had "
                        + (keyId.isBlank() ? "none" : keyId.length()));
            }
            return new Transformed(Objects.requireNonNull(payload, "payload"), keyId);
        }

        /** What is to be stored. */
        public byte[] payload() {
            return payload;
        }

        /** By which it can be restored. */
        public String keyId() {
            return keyId;
        }

        /** Tells no content. */
        @Override
        public String toString() {
            return "Transformed[" + payload.length + " bytes, keyId=" + keyId + "]";
        }
    }

    /**
     * Transforms a payload that is about to be inserted, in the business transaction: whatever this waits for, the transaction waits for too.
     *
     * @param payload a copy of the event's payload; of JSON its UTF-8
     * @param event whose id, types, tenant and headers are the same when the payload is restored
     * @return null to store the payload as it is
     * @throws Exception if it cannot be; then nothing is written
     */
    @Nullable
    Transformed transform(byte[] payload, EventEnvelope event) throws Exception;

    /**
     * Undoes what {@link #transform} did, within the time that the listener has. An exception is a failure of the delivery, as if the listener had
     * thrown it: the event is tried again by the retry policy.
     *
     * @param stored as it was returned by {@link #transform}
     * @param keyId likewise
     * @param event whose id, types, tenant and headers are those that {@link #transform} saw
     * @throws UnknownPayloadKeyException if this process does not know the key: the event waits, and no attempt is used up
     * @throws Exception if it cannot be undone
     */
    byte[] restore(byte[] stored, String keyId, EventEnvelope event) throws Exception;
}
