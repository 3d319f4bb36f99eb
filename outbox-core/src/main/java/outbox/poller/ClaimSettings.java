package outbox.poller;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.StoredText;

/** Who leases events, and for how long. */
record ClaimSettings(String ownerId, Duration timeout) {

    /** The width of the table's locked_by column. */
    private static final int MAX_OWNER_LENGTH = 128;

    private static final int MAX_HOST_LENGTH = 64;

    /** Between the given name of an owner and what makes it unique. */
    private static final char SUFFIX = '~';

    static ClaimSettings of(@Nullable String ownerId, @Nullable Duration lockTimeout) {
        Duration timeout = lockTimeout == null ? OutboxPoller.DEFAULT_LOCK_TIMEOUT : lockTimeout;
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("lockTimeout must be positive, was " + timeout);
        }
        return new ClaimSettings(ownerId == null ? generateOwnerId() : requireValid(ownerId), timeout);
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

    /** Readable for somebody who looks at a leased row, and unique even for two pollers in one process. */
    static String generateOwnerId() {
        return hostName() + ":" + ProcessHandle.current().pid() + ":" + random();
    }

    private static String random() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    }

    /** The given name, as nobody has used it before: two processes, or a process and its predecessor, are two owners. */
    String newOwner() {
        String suffix = SUFFIX + random();
        return StoredText.fit(ownerId, MAX_OWNER_LENGTH - suffix.length()) + suffix;
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
