package outbox.benchmarks.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A database for one measurement of one candidate. Used by one thread, but for {@link #connect()} and {@link #openPool()}. */
public final class Scratch implements AutoCloseable {

    /** What differs between the databases. */
    interface Care {

        /** Leaves no work over from the preparations that would disturb the measurement. */
        void settle(JdbcAddress address) throws SQLException;

        /** Removes the database. */
        void drop(JdbcAddress address) throws SQLException;
    }

    private final DatabaseKind kind;
    private final JdbcAddress address;
    private final Care care;
    private volatile JdbcObserver observer = JdbcObserver.NONE;
    private @Nullable CostMeter meter;
    private @Nullable Connection prober;
    private long probes;

    Scratch(DatabaseKind kind, JdbcAddress address, Care care) {
        this.kind = kind;
        this.address = address;
        this.care = care;
    }

    /** What it is a database of. */
    public DatabaseKind kind() {
        return kind;
    }

    /** Opens a connection that the caller closes. */
    public Connection connect() throws SQLException {
        return ObservedConnection.observe(address.connect(), observer);
    }

    /** Opens a pool that the caller closes. */
    public Pool openPool() {
        return Pool.open(address, observer);
    }

    /** Has connections that are opened from now on observed. */
    public void observe(JdbcObserver newObserver) {
        observer = newObserver;
    }

    /** Executes statements of the harness. */
    public void execute(String... statements) throws SQLException {
        address.execute(statements);
    }

    /** Leaves no work over from the preparations that would disturb the measurement. */
    public void settle() throws SQLException {
        care.settle(address);
    }

    /** Asks for a number on behalf of the harness; this does not count as a cost of the candidate. */
    public long count(String sql) throws SQLException {
        if (prober == null) {
            prober = address.connect();
        }
        probes++;
        try (Statement statement = prober.createStatement();
                ResultSet rows =
                        statement.executeQuery(sql.replaceFirst("^SELECT", "SELECT " + PostgresCostMeter.OWN))) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /** Counts what the candidate asks of the database. */
    public CostMeter meter() {
        if (meter == null) {
            throw new IllegalStateException("no meter was given to " + address.url());
        }
        return meter;
    }

    /** Ends the harness's own connection; it would keep the meter waiting. */
    public void stopProbing() throws SQLException {
        if (prober != null) {
            prober.close();
            prober = null;
        }
    }

    void useMeter(CostMeter newMeter) {
        meter = newMeter;
    }

    long probes() {
        return probes;
    }

    @Override
    public void close() throws SQLException {
        stopProbing();
        if (meter != null) {
            meter.close();
        }
        care.drop(address);
    }
}
