package outbox.jdbc.preflight;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Dialect;
import outbox.model.PreflightFinding;
import outbox.spi.OutboxStore;
import outbox.spi.Preflight;

/**
 * The preflight of an outbox in a database. All checks share one transaction on one connection, which is rolled back and given back as it was
 * found; so it works with a pool of one.
 */
public final class JdbcPreflight implements Preflight {

    private static final Logger LOG = SafeLog.of(JdbcPreflight.class);

    private final Trial.Subject subject;
    private final List<PreflightCheck> checks;

    /** @param first checks that know the store from within; they come before the others */
    public JdbcPreflight(OutboxStore store, TableName table, Dialect dialect, List<PreflightCheck> first) {
        this.subject = new Trial.Subject(store, table, dialect);
        this.checks = new ArrayList<>(first);
        this.checks.addAll(List.of(
                new TransactionsCheck(),
                new ReadOnlyCheck(),
                new IsolationCheck(),
                new ClockCheck(),
                new IdleTimeoutCheck(),
                new RowSecurityCheck(),
                new TextCheck(),
                new CollationCheck(),
                new RightsCheck(),
                new ConnectionsCheck(),
                new PreparedStatementsCheck()));
    }

    @Override
    public List<String> checks() {
        return checks.stream().map(PreflightCheck::name).toList();
    }

    @Override
    public List<PreflightFinding> run(Work work, Set<String> skipped) throws SQLException {
        try {
            return ShortTransaction.run(work.connections(), conn -> rolledBack(conn, work, skipped));
        } catch (SQLException e) {
            if (e instanceof CutShort trial && trial.isExplained()) {
                return trial.findings;
            }
            String proxy = skipped.contains(PreparedStatementsCheck.NAME) ? null : proxyBehind(e, work);
            if (proxy == null) {
                throw e instanceof CutShort trial ? trial.said : e;
            }
            return List.of(PreflightFinding.refusing(PreparedStatementsCheck.NAME, proxy));
        }
    }

    /** A trial that failed as a whole, with what it had found until then. */
    @SuppressWarnings("serial") // never leaves this class
    private static final class CutShort extends SQLException {

        private final List<PreflightFinding> findings;
        private final SQLException said;

        CutShort(List<PreflightFinding> findings, SQLException cause) {
            super(cause.getMessage(), cause.getSQLState(), cause.getErrorCode(), cause);
            this.findings = List.copyOf(findings);
            this.said = cause;
        }

        /** Where statements have lost their meaning, the one that ends the transaction may fail as well. */
        boolean isExplained() {
            return findings.stream().anyMatch(finding -> finding.check().equals(PreparedStatementsCheck.NAME));
        }
    }

    /** What a proxy has to do with a failure that leaves nothing else to be tried; null if it comes from elsewhere. */
    private @Nullable String proxyBehind(SQLException failure, Work work) {
        if (PreparedStatementsCheck.isCollision(failure)) {
            return PreparedStatementsCheck.message(null);
        }
        return StatementPooling.explains(failure, work, subject) ? StatementPooling.MESSAGE : null;
    }

    /** Whoever runs it commits afterwards; there is nothing left then. */
    private List<PreflightFinding> rolledBack(Connection conn, Work work, Set<String> skipped) throws SQLException {
        boolean found = conn.getAutoCommit();
        Trial trial = new Trial(subject, conn, work);
        try {
            conn.setAutoCommit(false);
            check(trial, skipped);
            conn.rollback();
            conn.setAutoCommit(found);
            return List.copyOf(trial.findings());
        } catch (SQLException e) {
            restore(conn, found, e);
            throw new CutShort(trial.findings(), e);
        } catch (RuntimeException e) {
            restore(conn, found, e);
            throw e;
        }
    }

    private static void restore(Connection conn, boolean autoCommit, Exception failure) {
        try {
            conn.rollback();
            conn.setAutoCommit(autoCommit);
        } catch (SQLException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    private void check(Trial trial, Set<String> skipped) throws SQLException {
        for (PreflightCheck check : checks) {
            if (!skipped.contains(check.name())) {
                trial.begin(check);
                look(check, trial);
            }
        }
    }

    /** What cannot be looked at is no reason not to start. */
    private static void look(PreflightCheck check, Trial trial) throws SQLException {
        SQLException refused = trial.attempt(() -> check.look(trial));
        if (refused != null) {
            LOG.log(Level.DEBUG, "Preflight: " + check.name() + " could not be looked at", LoggedError.of(refused));
            trial.warn("Table \"" + trial.table() + "\": this could not be looked at (" + Trial.told(refused)
                    + "); look yourself, and then switch the check off with skipPreflight(\"" + check.name() + "\")");
        }
    }
}
