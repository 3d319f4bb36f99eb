package outbox.cluster.order;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The one file to which all processes append what happens, the test included. The system puts each line at the end, so the order of the
 * lines is that of the events; a line that was added is there whatever happens to the process afterwards. The times are only for faults,
 * which are never known to the line.
 */
final class OrderJournal {

    enum What {
        START,
        END,
        KILLED,
        PAUSED,
        RESUMED,
        STALLED,
        DISCARDED,
        REPLAYED
    }

    /**
     * A line.
     *
     * @param node the process that it is about
     * @param details what else there is to say, depending on what happened
     */
    record Line(int place, long millis, What what, String node, List<String> details) {

        static Line parse(int place, String text) {
            List<String> words = List.of(text.split(" "));
            return new Line(
                    place,
                    Long.parseLong(words.get(0)),
                    What.valueOf(words.get(1)),
                    words.get(2),
                    words.subList(3, words.size()));
        }
    }

    private final OutputStream file;

    /** Begins or goes on. Not a channel: that would close when a listener is interrupted. */
    OrderJournal(Path path) throws IOException {
        this.file = new FileOutputStream(path.toFile(), true);
    }

    void add(What what, String node, Object... details) throws IOException {
        StringBuilder line = new StringBuilder()
                .append(System.currentTimeMillis())
                .append(' ')
                .append(what)
                .append(' ')
                .append(node);
        for (Object detail : details) {
            line.append(' ').append(detail);
        }
        file.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
    }

    static List<Line> read(Path path) throws IOException {
        List<Line> lines = new ArrayList<>();
        for (String text : Files.readAllLines(path)) {
            lines.add(Line.parse(lines.size() + 1, text));
        }
        return lines;
    }
}
