package outbox.jdbc.preflight;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Failure;
import outbox.spi.Preflight;

/** Whether the user of the database may do with the table what the outbox is going to do with it. */
final class RightsCheck implements PreflightCheck {

    @Override
    public String name() {
        return "rights";
    }

    @Override
    public void look(Trial trial) throws SQLException {
        if (!trial.canUseTable()) {
            return;
        }
        TrialRows rows = trial.rows().tried();
        List<String> missing = new ArrayList<>();
        addIfDenied(trial.hasRowSecurity() ? null : rows.insertRefused(), "INSERT", missing, trial);
        boolean onlyWrites = !trial.needs(Preflight.Need.DELIVERS) && !trial.needs(Preflight.Need.DELETES);
        if (!onlyWrites) {
            addIfDenied(rows.readRefused(), "SELECT", missing, trial);
        }
        addIfDenied(rows.updateRefused(), "UPDATE", missing, trial);
        addIfDenied(rows.deleteRefused(), "DELETE", missing, trial);
        if (!missing.isEmpty()) {
            trial.refuse(
                    "Table \"" + trial.table() + "\": this user of the database lacks " + String.join(", ", missing)
                            + ", without which events cannot be written, delivered or recorded: GRANT "
                            + String.join(", ", missing) + " ON " + trial.table() + " to it");
        }
        if (onlyWrites && rows.readRefused() != null && trial.isDenied(rows.readRefused())) {
            trial.warn(
                    "Table \"" + trial.table() + "\": this user of the database lacks SELECT, so its columns and texts"
                            + " cannot be checked, and writes that return receipts (enqueue) are refused: GRANT SELECT ON "
                            + trial.table() + " to it");
        }
        lookBeside(trial);
        refuseOther(trial, rows);
    }

    private static void addIfDenied(@Nullable SQLException refused, String right, List<String> missing, Trial trial) {
        if (refused != null && trial.isDenied(refused)) {
            missing.add(right);
        }
    }

    /** Nothing depends on the tables of nodes and of pauses: they need not be there. One statement tells that all is well with both. */
    private static void lookBeside(Trial trial) throws SQLException {
        if (!trial.needs(Preflight.Need.DELIVERS)) {
            return;
        }
        TableName nodes = trial.table().beside("_node");
        TableName pauses = trial.table().beside("_pause");
        // A condition that is plainly false would keep PostgreSQL from looking at what stands behind it.
        String write = "UPDATE " + nodes + " SET last_seen = last_seen WHERE owner_id = ''";
        String read = "SELECT name FROM " + pauses + " WHERE 1 = 0";
        if (refused(trial, write + " AND NOT EXISTS (" + read + ")") == null) {
            return;
        }
        warnOf(
                trial,
                nodes,
                refused(trial, write),
                "change it",
                "nobody sees which processes there are: GRANT SELECT, INSERT, UPDATE, DELETE");
        SQLException refused =
                trial.attempt(() -> JdbcTemplate.query(trial.connection(), read, row -> row.getString(1)));
        warnOf(
                trial,
                pauses,
                refused,
                "read it",
                "this process heeds no pause that is meant for all processes: GRANT SELECT (and INSERT, UPDATE, DELETE where"
                        + " somebody pauses)");
    }

    private static @Nullable SQLException refused(Trial trial, String update) throws SQLException {
        return trial.attempt(() -> JdbcTemplate.update(trial.connection(), update));
    }

    private static void warnOf(
            Trial trial, TableName table, @Nullable SQLException refused, String cannot, String consequence) {
        if (refused != null && !trial.dialect().failures().is(Failure.MISSING, refused)) {
            trial.warn("Table \"" + table + "\": this user of the database cannot " + cannot + " ("
                    + Trial.told(refused) + "), so " + consequence + " ON " + table + " to it");
        }
    }

    /** A trigger, a check or a type that is not right: whatever it is, it will be refused again. */
    private static void refuseOther(Trial trial, TrialRows rows) {
        refuseOther(trial, "an event as the outbox writes it", rows.insertRefused());
        refuseOther(trial, "the outcome of a delivery as the outbox records it", rows.updateRefused());
        refuseOther(trial, "the deletion of an event", rows.deleteRefused());
    }

    private static void refuseOther(Trial trial, String what, @Nullable SQLException refused) {
        if (refused != null && !trial.isDenied(refused)) {
            trial.refuse("Table \"" + trial.table() + "\" refuses " + what + " (" + Trial.told(refused)
                    + "): compare its columns, checks and triggers with the script of its version,"
                    + " and see the log of the database for the reason");
        }
    }
}
