package outbox.jdbc.preflight;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.internal.transaction.DatabaseFailure;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Dialect;
import outbox.jdbc.dialect.Failure;
import outbox.model.PreflightFinding;
import outbox.spi.OutboxStore;
import outbox.spi.Preflight;

/** One transaction in which everything is tried and which is rolled back in the end. Used by one thread. */
public final class Trial {

    /** A statement, or a few. */
    @FunctionalInterface
    public interface Attempt {

        /** Runs it on the trial's connection. */
        void run() throws SQLException;
    }

    /** What is tried. */
    record Subject(OutboxStore store, TableName table, Dialect dialect) {}

    private final Subject subject;
    private final Connection conn;
    private final Preflight.Work work;
    private final List<PreflightFinding> findings = new ArrayList<>();
    private final TrialRows rows;
    private @Nullable Savepoint before;
    private @Nullable Boolean rowSecurity;
    private String check = "";
    private boolean hopeless;

    Trial(Subject subject, Connection conn, Preflight.Work work) {
        this.subject = subject;
        this.conn = conn;
        this.work = work;
        this.rows = new TrialRows(this);
    }

    /** The connection, in a transaction that is rolled back. */
    public Connection connection() {
        return conn;
    }

    public TableName table() {
        return subject.table;
    }

    Dialect dialect() {
        return subject.dialect;
    }

    OutboxStore store() {
        return subject.store;
    }

    Preflight.Work work() {
        return work;
    }

    TrialRows rows() {
        return rows;
    }

    /** Whether the outbox is going to do that. */
    public boolean needs(Preflight.Need need) {
        return work.needs(need);
    }

    List<PreflightFinding> findings() {
        return findings;
    }

    void begin(PreflightCheck next) {
        check = next.name();
    }

    /** With this the outbox must not start. */
    public void refuse(String message) {
        findings.add(PreflightFinding.refusing(check, message));
    }

    /** This only costs. */
    public void warn(String message) {
        findings.add(PreflightFinding.warning(check, message));
    }

    /** There is no sense in trying anything on the table. */
    public void giveUpTable() {
        hopeless = true;
    }

    /** Whether something may be tried on the table. */
    public boolean canUseTable() {
        return !hopeless;
    }

    /**
     * Tries something that the database may refuse. What was done before in this transaction may be undone by a refusal.
     *
     * @return the refusal; null if there was none
     * @throws SQLException if the database is away
     */
    public @Nullable SQLException attempt(Attempt attempt) throws SQLException {
        prepareToGoOn();
        try {
            attempt.run();
            return null;
        } catch (OutboxStoreException e) {
            return refusal(e.getCause() instanceof SQLException said ? said : new SQLException(e));
        } catch (SQLException e) {
            return refusal(e);
        }
    }

    /** Ends the transaction early; nothing that was tried is left. */
    void endTransaction() throws SQLException {
        before = null;
        conn.rollback();
    }

    /** One place to go back to is enough for the whole transaction: what was tried need not be kept. */
    private void prepareToGoOn() throws SQLException {
        if (before == null && subject.dialect.failures().endsTransaction()) {
            before = conn.setSavepoint();
        }
    }

    private SQLException refusal(SQLException e) throws SQLException {
        if (isOutage(e) || PreparedStatementsCheck.isCollision(e)) {
            throw e; // after a collision no statement means what it says, and the way back may be missing too
        }
        if (before != null) {
            conn.rollback(before);
        }
        return e;
    }

    /** A connection that is set to read-only is no outage: that does not go away. */
    private boolean isOutage(SQLException e) throws SQLException {
        DatabaseFailure kind = DatabaseFailure.of(e);
        return kind == DatabaseFailure.READ_ONLY ? !conn.isReadOnly() : kind != DatabaseFailure.REFUSED;
    }

    boolean isDenied(SQLException e) {
        return subject.dialect.failures().is(Failure.DENIED, e);
    }

    /** Whether the server shows and takes only some rows of the table, depending on who asks. */
    boolean hasRowSecurity() throws SQLException {
        if (rowSecurity == null) {
            String sql = subject.dialect.probes().rowSecurity();
            rowSecurity = sql != null && askedRowSecurity(sql);
        }
        return Objects.requireNonNull(rowSecurity);
    }

    private boolean askedRowSecurity(String sql) throws SQLException {
        List<Boolean> answer = new ArrayList<>();
        SQLException refused = attempt(
                () -> answer.addAll(JdbcTemplate.query(conn, sql, row -> row.getBoolean(1), table().toString())));
        return refused == null && answer.contains(true);
    }

    /** A refusal in words that quote no content. */
    public static String told(SQLException e) {
        return "SQLState " + e.getSQLState() + ", error " + e.getErrorCode();
    }
}
