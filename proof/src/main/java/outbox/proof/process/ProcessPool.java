package outbox.proof.process;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import javax.sql.DataSource;

/** The connections of a process, which can be exhausted. */
public final class ProcessPool {

    private final ProcessSettings settings;
    private final List<HikariDataSource> pools = new ArrayList<>();
    private final List<Thread> exhausting = new ArrayList<>();

    /** Has no connections yet. All that there will be are exhausted when that is ordered. */
    public ProcessPool(ProcessSettings settings, Orders orders) {
        this.settings = settings;
        orders.on("exhaust", time -> begin(Orders.millis(time)));
    }

    /** Connections of a careful application, which takes those out of its pool that cannot write any more. Waits for the database. */
    public DataSource careful(int size) {
        HikariConfig config = config(size);
        config.setExceptionOverrideClassName(ReadOnly.class.getName());
        return open(config);
    }

    /** Connections that stay in their pool as long as they answer, whatever they answer, unless somebody takes them out. */
    public DataSource plain(int size) {
        return open(config(size));
    }

    private DataSource open(HikariConfig config) {
        HikariDataSource pool = new HikariDataSource(config);
        pools.add(pool);
        return pool;
    }

    private HikariConfig config(int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(settings.database().jdbcUrl());
        config.setUsername(settings.database().user());
        config.setPassword(settings.database().password());
        config.setConnectionInitSql(settings.sessionSettings());
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(2_000);
        config.setValidationTimeout(1_000);
        config.setInitializationFailTimeout(60_000);
        return config;
    }

    /** How many there are. */
    public int connections() {
        return sum(HikariPoolMXBean::getTotalConnections);
    }

    /** How many have not been given back. */
    public int taken() {
        return sum(HikariPoolMXBean::getActiveConnections);
    }

    private int sum(ToIntFunction<HikariPoolMXBean> what) {
        return pools.stream()
                .mapToInt(pool -> what.applyAsInt(pool.getHikariPoolMXBean()))
                .sum();
    }

    private void begin(Duration time) {
        for (HikariDataSource pool : pools) {
            Thread thread = new Thread(() -> exhaust(pool, time), "exhaust");
            exhausting.add(thread);
            thread.start();
        }
    }

    /** Takes all connections there are, and keeps them for a while. */
    private static void exhaust(HikariDataSource pool, Duration time) {
        List<Connection> taken = new ArrayList<>();
        long end = System.nanoTime() + time.toNanos();
        try {
            while (taken.size() < pool.getMaximumPoolSize() && System.nanoTime() < end) {
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
