package outbox.testsupport;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** A log that fails with every line of the library, however unimportant, while this is open. */
public final class ThrowingLog extends Handler implements AutoCloseable {

    private static final Logger LIBRARY = Logger.getLogger("outbox");

    private final Supplier<Error> failure;
    private final AtomicInteger lines = new AtomicInteger();
    private final Level levelBefore = LIBRARY.getLevel();

    public ThrowingLog() {
        this(() -> new AssertionError("the log is broken"));
    }

    public ThrowingLog(Supplier<Error> failure) {
        this.failure = failure;
        setLevel(Level.ALL);
        LIBRARY.setLevel(Level.ALL);
        LIBRARY.setUseParentHandlers(false);
        LIBRARY.addHandler(this);
    }

    /** How many lines have failed. */
    public int lines() {
        return lines.get();
    }

    @Override
    public void publish(LogRecord line) {
        lines.incrementAndGet();
        throw failure.get();
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LIBRARY.removeHandler(this);
        LIBRARY.setLevel(levelBefore);
        LIBRARY.setUseParentHandlers(true);
    }
}
