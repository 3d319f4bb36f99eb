package outbox.inbox.jdbc;

import java.util.Base64;
import outbox.EventEnvelope;
import outbox.internal.text.StoredText;

/**
 * The payload of a failed event as its record keeps it, in a column of text. Bytes are kept as a data URL (RFC 2397), which no JSON looks like and which
 * needs no column of its own.
 */
final class KeptPayload {

    /** What the column takes on every database. */
    static final int MOST_CHARACTERS = EventEnvelope.MAX_PAYLOAD_BYTES;

    private static final String BEGIN = "data:";
    private static final String ENCODED = ";base64,";

    private KeptPayload() {}

    /** The text that is kept. */
    static String of(EventEnvelope event) {
        return event.isBinary()
                ? BEGIN
                        + event.contentType()
                        + ENCODED
                        + Base64.getEncoder().withoutPadding().encodeToString(event.payloadBytes())
                : event.payloadJson();
    }

    /** Whether every database keeps it as it is. */
    static boolean canKeep(EventEnvelope event) {
        return event.isBinary() ? of(event).length() <= MOST_CHARACTERS : StoredText.canBeStored(event.payloadJson());
    }

    /** Gives the payload back that the text was made of. */
    static EventEnvelope.Builder into(EventEnvelope.Builder event, String kept) {
        int encoded = kept.startsWith(BEGIN) ? kept.lastIndexOf(ENCODED) : -1;
        return encoded < 0
                ? event.payloadJson(kept)
                : event.payload(
                        Base64.getDecoder().decode(kept.substring(encoded + ENCODED.length())),
                        kept.substring(BEGIN.length(), encoded));
    }
}
