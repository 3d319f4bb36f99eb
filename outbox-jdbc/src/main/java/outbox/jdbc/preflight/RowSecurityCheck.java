package outbox.jdbc.preflight;

import java.sql.SQLException;
import outbox.spi.Preflight;

/** Whether the database hides rows from the outbox. Then outcomes would be recorded nowhere, and events be found by nobody. */
final class RowSecurityCheck implements PreflightCheck {

    @Override
    public String name() {
        return "row-security";
    }

    @Override
    public void look(Trial trial) throws SQLException {
        if (!trial.canUseTable() || !trial.hasRowSecurity()) {
            return;
        }
        TrialRows rows = trial.rows().tried();
        SQLException refused = rows.insertRefused();
        boolean denied = refused != null && trial.isDenied(refused);
        if (!denied && rows.hidden() == 0) {
            return;
        }
        String what = "Table \"" + trial.table() + "\": row-level security is active for this user of the database and "
                + (denied
                        ? "refuses rows (tried: one with a tenant, one without)"
                        : "hides rows that it has written itself");
        String wayOut = "give it a policy for all rows (CREATE POLICY outbox_all ON " + trial.table()
                + " TO <this user> USING (true) WITH CHECK (true)), or the attribute BYPASSRLS";
        if (trial.needs(Preflight.Need.DELIVERS) || trial.needs(Preflight.Need.DELETES)) {
            trial.refuse(what + ", but the outbox must find and change every row of its table: " + wayOut);
        } else {
            trial.warn(what + "; events that its policies do not let through cannot be written here: " + wayOut);
        }
    }
}
