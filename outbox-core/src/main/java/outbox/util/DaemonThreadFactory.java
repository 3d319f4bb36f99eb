package outbox.util;

import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes daemon threads named by a prefix and a number that starts at 1. */
public final class DaemonThreadFactory implements ThreadFactory {

    private final String prefix;
    private final AtomicInteger made = new AtomicInteger();

    /** Creates a factory with its own numbering. */
    public DaemonThreadFactory(String prefix) {
        this.prefix = Objects.requireNonNull(prefix, "prefix");
    }

    @Override
    public Thread newThread(Runnable work) {
        Thread thread = new Thread(work, prefix + made.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }
}
