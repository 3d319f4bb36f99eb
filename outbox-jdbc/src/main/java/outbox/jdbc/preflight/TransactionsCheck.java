package outbox.jdbc.preflight;

import java.sql.SQLException;
import outbox.jdbc.JdbcTemplate;

/** Whether what is rolled back is gone. Comes before anything is written. */
final class TransactionsCheck implements PreflightCheck {

    @Override
    public String name() {
        return "transactions";
    }

    @Override
    public void look(Trial trial) throws SQLException {
        String sql = trial.dialect().probes().engine();
        if (sql == null || !trial.canUseTable()) {
            return;
        }
        for (String engine : JdbcTemplate.query(
                trial.connection(),
                sql,
                row -> row.getString(1),
                trial.table().schema(),
                trial.table().table())) {
            if (engine != null && !trial.dialect().probes().hasTransactions(engine)) {
                trial.refuse("Table \"" + trial.table() + "\" is kept by the engine " + engine
                        + ", which knows no transactions: events of rolled-back transactions would be delivered. ALTER TABLE "
                        + trial.table() + " ENGINE = InnoDB");
                trial.giveUpTable();
            }
        }
    }
}
