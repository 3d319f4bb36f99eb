package outbox.cluster.order;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import outbox.cluster.order.OrderJournal.What;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;

/**
 * Commits something now and then. Notices when its process was not given the processor, or not answered by the database, for so long that
 * leases may have run out, and writes it into the journal: that is a fault as well, though nobody wanted it.
 */
final class StallWatch implements Runnable {

    private static final long LOOK_MILLIS = 200;

    private final OrderJournal journal;
    private final String node;
    private final DataSourceConnectionProvider connections;
    private final int number;
    private final long tolerableMillis;

    StallWatch(OrderJournal journal, String node, DataSourceConnectionProvider connections, OrderSettings settings) {
        this.journal = journal;
        this.node = node;
        this.connections = connections;
        this.number = settings.number();
        this.tolerableMillis = settings.lease().toMillis() / 2;
    }

    @Override
    public void run() {
        try {
            long last = System.currentTimeMillis();
            while (true) {
                Thread.sleep(LOOK_MILLIS);
                commitSomething();
                long now = System.currentTimeMillis();
                if (now - last > tolerableMillis) {
                    journal.add(What.STALLED, node, last);
                }
                last = now;
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void commitSomething() {
        try (Connection conn = connections.getConnection()) {
            JdbcTemplate.update(conn, "UPDATE pulse SET n = n + 1 WHERE id = ?", number);
        } catch (SQLException e) {
            System.err.println("No pulse: " + e); // at the end, when the pool is closed
        }
    }
}
