package outbox.jdbc.preflight;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import outbox.spi.Preflight;

/** Whether the database takes two ids for one, or two keys. */
final class CollationCheck implements PreflightCheck {

    @Override
    public String name() {
        return "collation";
    }

    @Override
    public void look(Trial trial) throws SQLException {
        if (!trial.canUseTable()) {
            return;
        }
        for (Map.Entry<String, List<String>> mixedUp :
                trial.rows().tried().mixedUp().entrySet()) {
            String column = mixedUp.getKey();
            boolean isId = column.equals("event_id");
            if (isId || trial.needs(Preflight.Need.KEEPS_ORDER)) {
                trial.refuse("Table \"" + trial.table() + "\": column \"" + column
                        + "\" takes texts for the same that differ in "
                        + String.join(", ", mixedUp.getValue()) + ", so "
                        + (isId
                                ? "one event would be taken for another"
                                : "events of one key would wait for those of another")
                        + ": give the column a collation that compares every character (MySQL, MariaDB: utf8mb4_bin;"
                        + " PostgreSQL: a deterministic one, not citext; H2: VARCHAR, not VARCHAR_IGNORECASE)");
            }
        }
    }
}
