package outbox.proof.node;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import outbox.jdbc.JdbcTemplate;
import outbox.proof.history.DeliveryJournal;
import outbox.proof.process.ReadOnly;

/**
 * Commits something now and then. Notices when its process was not given the processor, or not answered by the database, for so long that
 * leases may have run out, and writes it down: that is a fault as well, though nobody wanted it.
 */
final class StallWatch implements Runnable {

    private static final long LOOK_MILLIS = 200;

    private final DataSource pool;
    private final String node;
    private final Duration tolerable;
    private final DeliveryJournal journal;

    StallWatch(DataSource pool, NodeSettings settings, DeliveryJournal journal) {
        this.pool = pool;
        this.node = settings.process().name();
        this.tolerable = settings.lease().dividedBy(2);
        this.journal = journal;
    }

    @Override
    public void run() {
        try {
            long last = System.nanoTime();
            while (true) {
                Thread.sleep(LOOK_MILLIS);
                if (commitSomething()) {
                    if (System.nanoTime() - last > tolerable.toNanos()) {
                        journal.stalled(last);
                    }
                    last = System.nanoTime();
                }
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("Nobody watches for stalls any more: " + e);
        }
    }

    private boolean commitSomething() {
        try (Connection conn = pool.getConnection()) {
            if (JdbcTemplate.update(conn, "UPDATE pulse SET n = n + 1 WHERE node = ?", node) == 0) {
                JdbcTemplate.update(conn, "INSERT INTO pulse (node, n) VALUES (?, 0)", node);
            }
            return true;
        } catch (SQLException e) {
            return ReadOnly.is(e); // to be refused is to be answered
        }
    }
}
