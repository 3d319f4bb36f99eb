package outbox.spi;

import java.util.Objects;

/** Thrown by a {@link PayloadTransformer} that has to restore a payload under a key that it does not know, or not yet. */
public class UnknownPayloadKeyException extends Exception {

    private static final long serialVersionUID = 1L;

    private final String keyId;

    /** Names the key. */
    public UnknownPayloadKeyException(String keyId) {
        super("unknown key id");
        this.keyId = Objects.requireNonNull(keyId, "keyId");
    }

    /** The id of the key. */
    public String keyId() {
        return keyId;
    }
}
