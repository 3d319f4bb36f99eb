package outbox.inbox.it;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What the inbox logs while this is open. */
final class LogLines extends Handler implements AutoCloseable {

    private static final Logger INBOX = Logger.getLogger("outbox.inbox");
    private static final SimpleFormatter FORMATTER = new SimpleFormatter();

    private final List<String> lines = new CopyOnWriteArrayList<>();

    LogLines() {
        INBOX.addHandler(this);
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void publish(LogRecord line) {
        lines.add(FORMATTER.formatMessage(line));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        INBOX.removeHandler(this);
    }
}
