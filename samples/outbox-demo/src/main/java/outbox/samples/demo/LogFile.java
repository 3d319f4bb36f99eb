package outbox.samples.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.FileHandler;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Sends everything that is logged to a file while it is open, so that the chapters can be read. */
final class LogFile implements AutoCloseable {

    private static final Logger ROOT = LogManager.getLogManager().getLogger("");

    private final Path path;
    private final Handler[] before = ROOT.getHandlers();
    private final FileHandler file;

    private LogFile(Path path) throws IOException {
        this.path = path;
        this.file = new FileHandler(path.toString());
        this.file.setFormatter(new SimpleFormatter());
    }

    static LogFile in(Path directory) throws IOException {
        LogFile log = new LogFile(directory.resolve("demo.log"));
        for (Handler handler : log.before) {
            ROOT.removeHandler(handler);
        }
        ROOT.addHandler(log.file);
        return log;
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        ROOT.removeHandler(file);
        file.close();
        for (Handler handler : before) {
            ROOT.addHandler(handler);
        }
    }
}
