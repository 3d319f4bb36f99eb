package outbox.poller;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import outbox.internal.StoredText;

/** Who locks events and for how long. */
record ClaimSettings(String ownerId, Duration timeout) {

    /** The width of the table's locked_by column. */
    private static final int MAX_OWNER_LENGTH = 128;

    private static final int MAX_HOST_LENGTH = 64;

    static ClaimSettings of(@Nullable String ownerId, Duration timeout) {
        Objects.requireNonNull(timeout, "lockTimeout");
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("lockTimeout must be positive, was " + timeout);
        }
        return new ClaimSettings(ownerId == null ? generateOwnerId() : requireValid(ownerId), timeout);
    }

    /** The same under the name that is to be claimed under. */
    ClaimSettings named(PollLink link) {
        return new ClaimSettings(link.claimsAs(ownerId, timeout), timeout);
    }

    private static String requireValid(String ownerId) {
        if (ownerId.isBlank()) {
            throw new IllegalArgumentException("ownerId must not be empty");
        }
        if (ownerId.length() > MAX_OWNER_LENGTH) {
            throw new IllegalArgumentException(
                    "ownerId must be at most " + MAX_OWNER_LENGTH + " characters, was " + ownerId.length());
        }
        StoredText.requireStorable("ownerId", ownerId);
        return ownerId;
    }

    /** Readable for the person who looks at a locked row, and unique even for two pollers of one process. */
    private static String generateOwnerId() {
        String random = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
        return hostName() + ":" + ProcessHandle.current().pid() + ":" + random;
    }

    private static String hostName() {
        try {
            String name = InetAddress.getLocalHost().getHostName();
            return StoredText.fit(name, MAX_HOST_LENGTH);
        } catch (UnknownHostException e) {
            return "unknown-host";
        }
    }
}
