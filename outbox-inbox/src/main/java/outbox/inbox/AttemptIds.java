package outbox.inbox;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Generates ids of attempts, unique across all processes: so an attempt that has lost its lease is not mistaken for a later one of the
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
