package outbox.inbox;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Names attempts. No two are the same, in whatever process: so an attempt that has lost its lease is not mistaken for a later one of the
 * same process.
 */
final class AttemptIds {

    private final String process =
            ProcessHandle.current().pid() + "-" + UUID.randomUUID().toString().substring(0, 13);
    private final AtomicLong number = new AtomicLong();

    String next() {
        return process + "#" + number.incrementAndGet();
    }
}
