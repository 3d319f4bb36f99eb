package outbox.jdbc.it;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Everything that the library logs while this is open, at all levels and with all stack traces. */
final class LibraryLog extends Handler implements AutoCloseable {

    private static final Logger LIBRARY = Logger.getLogger("outbox");
    private static final SimpleFormatter FORMATTER = new SimpleFormatter();

    private final List<String> entries = new CopyOnWriteArrayList<>();
    private final List<LogRecord> lines = new CopyOnWriteArrayList<>();
    private final Level levelBefore = LIBRARY.getLevel();

    LibraryLog() {
        setLevel(Level.ALL);
        LIBRARY.setLevel(Level.ALL);
        LIBRARY.setUseParentHandlers(false);
        LIBRARY.addHandler(this);
    }

    List<String> entries() {
        return List.copyOf(entries);
    }

    /** What was logged at that level and contains the text. */
    List<LogRecord> lines(Level level, String text) {
        return lines.stream()
                .filter(line -> line.getLevel().equals(level))
                .filter(line -> FORMATTER.formatMessage(line).contains(text))
                .toList();
    }

    @Override
    public void publish(LogRecord line) {
        lines.add(line);
        StringWriter out = new StringWriter();
        out.append(FORMATTER.formatMessage(line)).append('\n');
        if (line.getThrown() != null) {
            line.getThrown().printStackTrace(new PrintWriter(out));
        }
        entries.add(out.toString());
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
