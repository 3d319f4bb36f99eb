package outbox.jdbc.preflight;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
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
        String what = denied
                ? "refuses rows (tried: one with a tenant, one without)"
                : rows.hidden() > 0 ? "hides rows that it has written itself" : dependingOnRows(trial);
        if (what != null) {
            tell(
                    trial,
                    "Table \"" + trial.table() + "\": row-level security is active for this user of the database and "
                            + what);
        }
    }

    private static @Nullable String dependingOnRows(Trial trial) throws SQLException {
        Set<String> policies = RowPolicies.of(trial).thatDependOnRows(trial);
        return policies.isEmpty()
                ? null
                : "hides or refuses rows, depending on what is in them (policies: " + String.join(", ", policies) + ")";
    }

    private static void tell(Trial trial, String what) {
        String wayOut = "give it a policy for all rows (CREATE POLICY outbox_all ON " + trial.table()
                + " TO <this user> USING (true) WITH CHECK (true)), or the attribute BYPASSRLS";
        if (trial.needs(Preflight.Need.DELIVERS) || trial.needs(Preflight.Need.DELETES)) {
            trial.refuse(what + ", but the outbox must find and change every row of its table: " + wayOut);
        } else {
            trial.warn(what + "; events that its policies do not let through cannot be written here: " + wayOut);
        }
    }
}
