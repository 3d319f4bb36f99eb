package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Hints;

/**
 * Tells the optimizer to take the index of the keys, by the name that it has in this table. MySQL and MariaDB look into an index how many
 * entries a range of values has before they choose. Entries of rows that were finished a moment ago are still there until the server has
 * cleaned up behind them, and are counted; then reading the whole table looks cheaper.
 */
final class KeyIndexHint {

    private static final List<String> INDEX = List.of("aggregate_type", "aggregate_id", "status", "seq");

    private final TableName table;
    private final Hints hints;
    private volatile @Nullable String known;

    KeyIndexHint(EventTable table) {
        this.table = table.name();
        this.hints = table.dialect().hints();
    }

    /** What stands behind the table's name. A table without such an index gets none; one that is added later is noticed after a restart. */
    String get(Connection conn) throws SQLException {
        String hint = known;
        if (hint == null) {
            String index = hints.namesIndexes() ? new TableIndexes(table).nameOf(conn, INDEX) : null;
            hint = index == null ? "" : hints.index(index);
            known = hint;
        }
        return hint;
    }

    /** The index may have been dropped or renamed. */
    void failed() {
        known = null;
    }
}
