package outbox.proof.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.SQLException;
import outbox.spi.RelayLock;

/** Writes down each answer to the question who is the active one. */
final class RecordedRelayLock implements RelayLock {

    /** Just before a question that was answered with yes. */
    static final String ASKED = "asked";

    /** Just after the answer yes. */
    static final String HELD = "held";

    /** After any other answer, or none. */
    static final String NOT_HELD = "not held";

    private final RelayLock lock;
    private final LockJournal journal;

    RecordedRelayLock(RelayLock lock, Path journal) throws IOException {
        this.lock = lock;
        this.journal = new LockJournal(journal);
    }

    @Override
    public boolean tryHold() throws SQLException {
        long before = System.nanoTime();
        boolean held = false;
        try {
            held = lock.tryHold();
        } finally {
            record(before, held);
        }
        return held;
    }

    private void record(long before, boolean held) {
        try {
            if (held) {
                journal.add(before, ASKED);
            }
            journal.add(held ? HELD : NOT_HELD);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        lock.close();
    }
}
