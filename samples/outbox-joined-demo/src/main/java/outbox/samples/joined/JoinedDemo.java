package outbox.samples.joined;

import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.LogManager;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import outbox.EventListener;
import outbox.Outbox;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.jdbc.tx.ThreadLocalTxContext;

/** Places an order with each of three libraries; each of them ends its own transaction, and the event goes with it. */
final class JoinedDemo {

    private static final TableName TABLE = TableName.of("outbox_event");
    private static final List<String> LIBRARIES = List.of("jOOQ", "MyBatis", "Hibernate");

    private JoinedDemo() {}

    /** Runs the demo. */
    public static void main(String[] args) throws Exception {
        LogManager.getLogManager().getLogger("").setLevel(Level.WARNING);
        System.exit(run(System.out));
    }

    /** Returns 0 if all orders were announced. */
    static int run(PrintStream out) throws Exception {
        JdbcConnectionPool database = newDatabase();
        CountDownLatch announced = new CountDownLatch(LIBRARIES.size());
        EventListener listener = event -> {
            out.println("delivered " + event.aggregateId() + " " + event.payloadJson());
            announced.countDown();
        };
        try (Outbox outbox = outbox(database, listener);
                Libraries libraries = new Libraries(database)) {
            outbox.start();
            for (String library : LIBRARIES) {
                libraries.orders(library, outbox).place("order by " + library, () -> {});
            }
            return announced.await(10, TimeUnit.SECONDS) ? 0 : 1;
        } finally {
            database.dispose();
        }
    }

    static Outbox outbox(DataSource database, EventListener listener) {
        return JdbcOutbox.builder(database, new ThreadLocalTxContext(), TABLE)
                .claimLocking(Duration.ofMinutes(1))
                .listener("OrderPlaced", listener)
                .build();
    }

    static JdbcConnectionPool newDatabase() throws SQLException {
        JdbcConnectionPool database =
                JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
        try (Connection conn = database.getConnection();
                Statement statement = conn.createStatement()) {
            OutboxSchema.create(conn, "h2", TABLE);
            statement.execute("CREATE TABLE orders (id VARCHAR(64) PRIMARY KEY)");
        }
        return database;
    }
}
