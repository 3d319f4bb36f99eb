package outbox.jdbc.preflight;

import java.sql.SQLException;

/** Whether connections are set to read-only. A server that does not write for now is an outage, and passes. */
final class ReadOnlyCheck implements PreflightCheck {

    @Override
    public String name() {
        return "read-only";
    }

    @Override
    public void look(Trial trial) throws SQLException {
        if (trial.connection().isReadOnly()) {
            trial.refuse(
                    "The connections of the outbox are set to read-only (Connection.isReadOnly() is true), but it must write:"
                            + " give it a data source whose connections are not set to read-only");
            trial.giveUpTable();
        }
    }
}
