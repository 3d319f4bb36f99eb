package outbox.jdbc.store;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import outbox.jdbc.preflight.PreflightCheck;
import outbox.jdbc.preflight.Trial;

/** Whether the store speaks the language of the database that it is connected to. */
final class DatabaseCheck implements PreflightCheck {

    /** Whether a store is meant for a database. */
    @FunctionalInterface
    interface Supported {
        boolean by(DatabaseMetaData database) throws SQLException;
    }

    private final String store;
    private final Supported supported;

    DatabaseCheck(String store, Supported supported) {
        this.store = store;
        this.supported = supported;
    }

    @Override
    public String name() {
        return "database";
    }

    @Override
    public void look(Trial trial) throws SQLException {
        DatabaseMetaData database = trial.connection().getMetaData();
        if (!supported.by(database)) {
            trial.refuse(
                    "The store \"" + store + "\" is not meant for the database that it is connected to, which is "
                            + database.getDatabaseProductName() + " " + database.getDatabaseProductVersion()
                            + ": take the one of JdbcOutboxStores.detect(dataSource), or build the outbox with JdbcOutbox.builder");
            trial.giveUpTable();
        }
    }
}
