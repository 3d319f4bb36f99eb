package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.TableName;

/** The columns that a table really has. */
final class TableColumns {

    private final TableName table;
    private volatile @Nullable Boolean hasSequence;

    TableColumns(TableName table) {
        this.table = table;
    }

    /** Whether there is a column {@code seq}; asked once. One that is added later is noticed after a restart. */
    boolean hasSequence(Connection conn) throws SQLException {
        Boolean known = hasSequence;
        if (known == null) {
            known = names(conn).contains(JdbcOrderedStore.SEQ);
            hasSequence = known;
        }
        return known;
    }

    /** In lower case. */
    List<String> names(Connection conn) throws SQLException {
        try (PreparedStatement statement = conn.prepareStatement("SELECT * FROM " + table + " WHERE 1 = 0");
                ResultSet rows = statement.executeQuery()) {
            ResultSetMetaData columns = rows.getMetaData();
            List<String> names = new ArrayList<>();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                names.add(columns.getColumnName(i).toLowerCase(Locale.ROOT));
            }
            return names;
        }
    }
}
