package outbox.proof.history;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * What a process writes down of its deliveries. What has been added is there whatever becomes of the process; the end of a delivery is on
 * the disk before the listener returns. Threads that end deliveries at the same time share the wait for the disk.
 */
public final class DeliveryJournal implements AutoCloseable {

    static final String START = "start";
    static final String END = "end";
    static final String STALLED = "stalled";
    static final String TAKEN = "taken";
    static final String FREED = "freed";

    // Not a channel: that would close when a listener is interrupted.
    private final RandomAccessFile file;
    private final Object disk = new Object();
    private long written;
    private long onDisk;

    /** Begins or goes on. */
    public DeliveryJournal(Path path) throws IOException {
        this.file = new RandomAccessFile(path.toFile(), "rw");
        file.seek(file.length());
    }

    /** A listener was called. */
    public void begin(String outbox, String eventId) throws IOException {
        add(START, System.nanoTime(), Thread.currentThread().getId(), outbox, eventId);
    }

    /** The listener is about to return, or to throw. */
    public void end(String outbox, String eventId, Delivery.Result result, long payloadSum) throws IOException {
        force(add(END, System.nanoTime(), Thread.currentThread().getId(), outbox, eventId, result, payloadSum));
    }

    /** The process keeps the event from all others. */
    public void taken(String outbox, String eventId) throws IOException {
        add(TAKEN, System.nanoTime(), outbox, eventId);
    }

    /** The process has recorded what became of the event, or has given it back. */
    public void freed(String outbox, String eventId) throws IOException {
        add(FREED, System.nanoTime(), outbox, eventId);
    }

    /** The process, or its database, stood still since that time. */
    public void stalled(long since) throws IOException {
        add(STALLED, System.nanoTime(), since);
    }

    private synchronized long add(Object... words) throws IOException {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(word).append(' ');
        }
        line.setCharAt(line.length() - 1, '\n');
        byte[] bytes = line.toString().getBytes(StandardCharsets.UTF_8);
        file.write(bytes);
        written += bytes.length;
        return written;
    }

    private void force(long upTo) throws IOException {
        synchronized (disk) {
            if (onDisk >= upTo) {
                return;
            }
            long covered = writtenSoFar();
            file.getFD().sync();
            onDisk = covered;
        }
    }

    private synchronized long writtenSoFar() {
        return written;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
