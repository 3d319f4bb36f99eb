package outbox.benchmarks.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalLong;

/** Counts in the client, but asks PostgreSQL for the log: for servers without pg_stat_statements. */
final class WalMeter implements CostMeter {

    private final CostMeter counts;
    private final Connection admin;
    private long lsnBefore;

    WalMeter(CostMeter counts, Connection admin) {
        this.counts = counts;
        this.admin = admin;
    }

    @Override
    public void begin() throws SQLException {
        counts.begin();
        lsnBefore = lsn();
    }

    @Override
    public Costs end() throws SQLException {
        Costs costs = counts.end();
        return new Costs(costs.statements(), costs.commits(), OptionalLong.of(lsn() - lsnBefore));
    }

    @Override
    public long statements() throws SQLException {
        return counts.statements();
    }

    @Override
    public OptionalLong logPosition() throws SQLException {
        return OptionalLong.of(lsn());
    }

    @Override
    public void close() throws SQLException {
        counts.close();
        admin.close();
    }

    private long lsn() throws SQLException {
        try (Statement statement = admin.createStatement();
                ResultSet rows = statement.executeQuery("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
