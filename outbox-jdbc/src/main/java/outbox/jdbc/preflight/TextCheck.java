package outbox.jdbc.preflight;

import java.sql.SQLException;

/** Whether texts come back as they were written, whatever their script. */
final class TextCheck implements PreflightCheck {

    private static final String WAY_OUT = ": events would be changed or refused. Let the connection speak UTF-8"
            + " (for MySQL's driver leave out characterEncoding), and give the table a character set that has all of Unicode"
            + " (utf8mb4, or a database in UTF8)";

    @Override
    public String name() {
        return "text";
    }

    @Override
    public void look(Trial trial) throws SQLException {
        if (!trial.canUseTable()) {
            return;
        }
        TrialRows rows = trial.rows().tried();
        SQLException refused = rows.textRefused();
        if (refused != null) {
            trial.refuse("Table \"" + trial.table() + "\" refuses emoji, Hebrew, Arabic and Chinese ("
                    + Trial.told(refused) + ")" + WAY_OUT);
        } else if (!rows.textKept()) {
            trial.refuse("Table \"" + trial.table()
                    + "\" does not return emoji, Hebrew, Arabic and Chinese as they were written" + WAY_OUT);
        }
    }
}
