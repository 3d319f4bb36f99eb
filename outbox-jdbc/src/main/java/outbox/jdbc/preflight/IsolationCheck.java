package outbox.jdbc.preflight;

import java.sql.Connection;
import java.sql.SQLException;
import outbox.spi.Preflight;

/** Whether the outbox's own transactions are on a level on which claims do not get in each other's way. */
final class IsolationCheck implements PreflightCheck {

    @Override
    public String name() {
        return "isolation";
    }

    @Override
    public void look(Trial trial) throws SQLException {
        int level = trial.connection().getTransactionIsolation();
        boolean suits = trial.dialect().ownIsolation(level).isAsItIs();
        if (!suits && trial.needs(Preflight.Need.DELIVERS)) {
            trial.warn("The connections of the outbox are on the isolation level " + nameOf(level)
                    + ", on which claims fail and are repeated, and hold up others: use DataSourceConnectionProvider, which sets"
                    + " the level that is needed for the outbox's own work, or set READ COMMITTED");
        }
    }

    private static String nameOf(int level) {
        return switch (level) {
            case Connection.TRANSACTION_NONE -> "NONE";
            case Connection.TRANSACTION_READ_UNCOMMITTED -> "READ UNCOMMITTED";
            case Connection.TRANSACTION_READ_COMMITTED -> "READ COMMITTED";
            case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE READ";
            default -> "SERIALIZABLE";
        };
    }
}
