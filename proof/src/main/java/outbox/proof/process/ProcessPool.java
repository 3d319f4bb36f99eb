package outbox.proof.process;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** The connections of a process, which can be exhausted. */
public final class ProcessPool {

    private static final int SIZE = 12;

    private final HikariDataSource pool;
    private final List<Thread> exhausting = new ArrayList<>();

    /** Waits for the database, and is exhausted when that is ordered. */
    public ProcessPool(ProcessSettings settings, Orders orders) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(settings.database().jdbcUrl());
        config.setUsername(settings.database().user());
        config.setPassword(settings.database().password());
        config.setConnectionInitSql(settings.sessionSettings());
        config.setMaximumPoolSize(SIZE);
        config.setConnectionTimeout(2_000);
        config.setValidationTimeout(1_000);
        config.setInitializationFailTimeout(60_000);
        this.pool = new HikariDataSource(config);
        orders.on("exhaust", time -> begin(Orders.millis(time)));
    }

    /** Where connections come from. */
    public DataSource dataSource() {
        return pool;
    }

    /** How many there are. */
    public int connections() {
        return pool.getHikariPoolMXBean().getTotalConnections();
    }

    /** How many have not been given back. */
    public int taken() {
        return pool.getHikariPoolMXBean().getActiveConnections();
    }

    private void begin(Duration time) {
        Thread thread = new Thread(() -> exhaust(time), "exhaust");
        exhausting.add(thread);
        thread.start();
    }

    /** Takes all connections there are, and keeps them for a while. */
    private void exhaust(Duration time) {
        List<Connection> taken = new ArrayList<>();
        long end = System.nanoTime() + time.toNanos();
        try {
            while (taken.size() < SIZE && System.nanoTime() < end) {
                taken.add(pool.getConnection());
            }
            Thread.sleep(Math.max(0, (end - System.nanoTime()) / 1_000_000));
        } catch (SQLException | InterruptedException e) {
            System.err.println("The pool has no more connections: " + e);
        }
        for (Connection connection : taken) {
            try {
                connection.close();
            } catch (SQLException e) {
                System.err.println("Given back: " + e);
            }
        }
    }

    /** Waits until those that exhausting took are given back. */
    public void awaitRelief() throws InterruptedException {
        for (Thread thread : exhausting) {
            thread.join();
        }
    }
}
