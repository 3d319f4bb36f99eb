package outbox.proof.cluster;

import java.text.MessageFormat;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What a class warns of in its log. */
final class Warnings extends Handler implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 30;

    private final Logger logger;
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

    Warnings(Class<?> source) {
        this.logger = Logger.getLogger(source.getName());
        logger.addHandler(this);
    }

    /** Waits for one. */
    String next() throws InterruptedException {
        String message = messages.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (message == null) {
            throw new AssertionError(logger.getName() + " gave no warning within " + PATIENCE_SECONDS + " s");
        }
        return message;
    }

    @Override
    public void publish(LogRecord entry) {
        if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
            messages.add(new MessageFormat(entry.getMessage()).format(entry.getParameters()));
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
