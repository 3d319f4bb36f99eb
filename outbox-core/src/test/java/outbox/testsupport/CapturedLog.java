package outbox.testsupport;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Collects what the library logs while this is open, and keeps it off the console. */
public final class CapturedLog extends Handler implements AutoCloseable {

    /** One line of the log, without time and thread. */
    public record Line(Level level, String logger, String text, Throwable thrown) {}

    private static final Logger LIBRARY = Logger.getLogger("outbox");
    private static final SimpleFormatter FORMATTER = new SimpleFormatter();

    private final List<Line> lines = new CopyOnWriteArrayList<>();
    private final Level levelBefore = LIBRARY.getLevel();

    public CapturedLog() {
        setLevel(Level.ALL);
        LIBRARY.setLevel(Level.ALL);
        LIBRARY.setUseParentHandlers(false);
        LIBRARY.addHandler(this);
    }

    public List<Line> lines() {
        return List.copyOf(lines);
    }

    /** The texts logged at exactly that level. */
    public List<String> at(Level level) {
        return lines.stream()
                .filter(line -> line.level().equals(level))
                .map(Line::text)
                .toList();
    }

    @Override
    public void publish(LogRecord line) {
        lines.add(new Line(line.getLevel(), line.getLoggerName(), FORMATTER.formatMessage(line), line.getThrown()));
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
