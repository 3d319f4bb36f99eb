package outbox.jdbc.store;

import java.time.Duration;

/** How long a mark may take; nothing limits it unless that was asked for. */
final class MarkLimit {

    private volatile int seconds;

    /** Rounds up to seconds. */
    void set(Duration timeout) {
        seconds = (int) Math.max(1, timeout.plusMillis(999).toSeconds());
    }

    /** 0 for no limit. */
    int seconds() {
        return seconds;
    }
}
