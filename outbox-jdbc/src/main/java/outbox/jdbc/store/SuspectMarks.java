package outbox.jdbc.store;

import java.sql.Connection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.RowWords;
import outbox.jdbc.JdbcTemplate;
import outbox.spi.LeaseStore.Begun;

/** Writes down that the delivery of a suspect begins, and that it did not. */
final class SuspectMarks {

    /** The number may be there already: then the answer to the first try was lost. */
    private static final String WRITE_DOWN = """
            UPDATE %1$s SET attempts = ?, last_error = ? WHERE event_id = ? AND attempts IN (?, ?)%2$s""";

    private static final String TAKE_BACK = """
            UPDATE %1$s SET attempts = ?, last_error = ?, locked_by = NULL, locked_at = NULL WHERE event_id = ?%2$s""";

    private final EventTable table;
    private final String writeDown;
    private final String takeBack;

    SuspectMarks(EventTable table) {
        this.table = table;
        this.writeDown = String.format(Locale.ROOT, WRITE_DOWN, table.name(), FencedMarks.LEASED);
        this.takeBack = String.format(Locale.ROOT, TAKE_BACK, table.name(), FencedMarks.LEASED);
    }

    boolean writeDown(Connection conn, String ownerId, Begun suspect) {
        int before = suspect.attempts();
        int after = before == Integer.MAX_VALUE ? before : before + 1;
        return update(
                        "write down the delivery of event " + suspect.eventId(),
                        conn,
                        writeDown,
                        after,
                        RowWords.begun(suspect.crashes() + 1),
                        suspect.eventId(),
                        before,
                        after,
                        ownerId)
                > 0;
    }

    int takeBack(Connection conn, String ownerId, Begun suspect) {
        return update(
                "take back the delivery of event " + suspect.eventId(),
                conn,
                takeBack,
                suspect.attempts(),
                RowWords.givenBack(suspect.crashes()),
                suspect.eventId(),
                ownerId);
    }

    private int update(String what, Connection conn, String sql, @Nullable Object... params) {
        return table.change(what, conn, () -> JdbcTemplate.updateWithin(table.markSeconds(), conn, sql, params));
    }
}
