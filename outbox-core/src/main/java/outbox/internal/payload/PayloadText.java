package outbox.internal.payload;

import outbox.EventEnvelope;

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

    /** What is said of an event whose text would pass for that of another one's bytes. */
    public static IllegalArgumentException reserved(EventEnvelope event) {
        return new IllegalArgumentException(
                "The payload of " + event
                        + " is the text that stands for bytes in a row of an outbox; write the bytes with payload(bytes, contentType)");
    }

    /** What is said of a row that has this text and no bytes. */
    public static IllegalArgumentException withoutBytes() {
        return new IllegalArgumentException(
                "its payload is bytes, which the row does not have: the columns payload_bytes and content_type are empty or were dropped");
    }
}
