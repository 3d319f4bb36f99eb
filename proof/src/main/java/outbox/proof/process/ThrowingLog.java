package outbox.proof.process;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** A log that cannot be written to for a while, as when its disk is full or its library half unloaded: who logs is thrown at. */
public final class ThrowingLog extends Handler {

    private static final int ERROR_EVERY = 4;

    // Held here, because the log manager would let go of it together with its level.
    private final Logger logger = Logger.getLogger("outbox");
    private final AtomicInteger thrown = new AtomicInteger();

    ThrowingLog() {}

    /** Comes when it is ordered. */
    public static void on(Orders orders) {
        orders.on("throwing-log", time -> new ThrowingLog().begin(Orders.millis(time)));
    }

    private void begin(Duration time) {
        logger.addHandler(this);
        logger.setLevel(Level.ALL);
        Thread end = new Thread(() -> endAfter(time), "end of throwing log");
        end.setDaemon(true);
        end.start();
    }

    private void endAfter(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            // then it ends earlier
        }
        logger.removeHandler(this);
        logger.setLevel(null);
        System.err.println("The log has thrown " + thrown.get() + " times");
    }

    @Override
    public void publish(LogRecord record) {
        if (thrown.incrementAndGet() % ERROR_EVERY == 0) {
            throw new NoClassDefFoundError("a class of the log's library");
        }
        throw new IllegalStateException("the log's disk is full");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
