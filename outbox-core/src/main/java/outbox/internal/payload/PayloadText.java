package outbox.internal.payload;

import outbox.EventEnvelope;
import outbox.model.OutboxEvent;

/** What the column of the payload says, which every table has and which must be JSON. */
public final class PayloadText {

    /**
     * What it says of an event whose payload is bytes. JSON, but a string: a process of an older version hands it to a listener that expects an object,
     * and that fails. Without anything that a database would write otherwise.
     */
    public static final String OF_BYTES =
            "\"(outbox) The payload of this event is bytes, in the columns payload_bytes and content_type."
                    + " Whoever reads this text instead must be upgraded.\"";

    private PayloadText() {}

    /** The text of the event's row. */
    public static String of(EventEnvelope event) {
        return event.isBinary() ? OF_BYTES : event.payloadJson();
    }

    /** Whether the payload is to be looked for in the columns of bytes. */
    public static boolean tellsOfBytes(OutboxEvent row) {
        return OF_BYTES.equals(row.payloadJson());
    }

    /** Refuses an event whose text would pass for that of another one's bytes. */
    public static void requireNoWords(EventEnvelope event) {
        if (!event.isBinary() && OF_BYTES.equals(event.payloadJson())) {
            throw new IllegalArgumentException(
                    "The payload of " + event
                            + " is the text that stands for bytes in a row of an outbox; write the bytes with payload(bytes, contentType)");
        }
    }

    /** Refuses a row whose bytes are not there. */
    public static void requireBytes(OutboxEvent row) {
        if (row.bytesPayload() == null && tellsOfBytes(row)) {
            throw new IllegalArgumentException(
                    "its payload is bytes, which the row does not have: the columns payload_bytes and content_type are empty or were dropped");
        }
    }
}
