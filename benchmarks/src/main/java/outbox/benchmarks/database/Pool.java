package outbox.benchmarks.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

/** The connection pool of a candidate; the same for all that use one. */
public final class Pool implements AutoCloseable {

    private static final int SIZE = 16;
    private static final int FILL_TIMEOUT_MILLIS = 10_000;

    private final HikariDataSource pool;
    private final DataSource dataSource;

    private Pool(HikariDataSource pool, JdbcObserver observer) {
        this.pool = pool;
        this.dataSource = observer == JdbcObserver.NONE ? pool : new ObservedDataSource(pool, observer);
    }

    /** Opens all connections before it returns, so that none is opened while the clock runs. */
    static Pool open(JdbcAddress address, JdbcObserver observer) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(address.url());
        config.setUsername(address.user());
        config.setPassword(address.password());
        config.setMaximumPoolSize(SIZE);
        config.setInitializationFailTimeout(FILL_TIMEOUT_MILLIS);
        System.setProperty("com.zaxxer.hikari.blockUntilFilled", "true");
        return new Pool(new HikariDataSource(config), observer);
    }

    /** Where candidates get their connections. */
    public DataSource dataSource() {
        return dataSource;
    }

    @Override
    public void close() {
        pool.close();
    }
}
