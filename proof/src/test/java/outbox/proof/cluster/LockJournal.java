package outbox.proof.cluster;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A file of lines that a process writes and the test reads. A line that was added is there whatever happens to the process afterwards;
 * each has the time, by a clock that all processes of the machine share.
 */
final class LockJournal {

    /** The time is that of {@link System#nanoTime}, which on Linux counts from the start of the machine. */
    record Entry(long nanos, String text) {

        static Entry parse(String line) {
            int space = line.indexOf(' ');
            return new Entry(Long.parseLong(line.substring(0, space)), line.substring(space + 1));
        }
    }

    private final OutputStream file;

    /** Begins or goes on. Not a channel: that would close when a listener is interrupted. */
    LockJournal(Path path) throws IOException {
        this.file = new FileOutputStream(path.toFile(), true);
    }

    void add(String text) throws IOException {
        add(System.nanoTime(), text);
    }

    /** In a single write, so that lines of several threads do not mix. */
    void add(long nanos, String text) throws IOException {
        file.write((nanos + " " + text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    static List<Entry> read(Path path) throws IOException {
        return Files.exists(path)
                ? Files.readAllLines(path).stream().map(Entry::parse).toList()
                : List.of();
    }
}
