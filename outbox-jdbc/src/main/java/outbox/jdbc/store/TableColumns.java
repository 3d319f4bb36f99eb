package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.TableName;

/** The columns that a table really has. */
final class TableColumns {

    /**
     * The type of a column.
     *
     * @param code as in {@link java.sql.Types}
     * @param name in the database's own words
     */
    record Type(int code, String name) {}

    private final TableName table;
    private volatile @Nullable Boolean hasSequence;

    TableColumns(TableName table) {
        this.table = table;
    }

    /** Whether there is a column {@code seq}; asked once. One that is added later is noticed after a restart. */
    boolean hasSequence(Connection conn) throws SQLException {
        Boolean known = hasSequence;
        if (known == null) {
            known = types(conn).containsKey(JdbcOrderedStore.SEQ);
            hasSequence = known;
        }
        return known;
    }

    /** By name, in lower case. */
    Map<String, Type> types(Connection conn) throws SQLException {
        try (PreparedStatement statement = conn.prepareStatement("SELECT * FROM " + table + " WHERE 1 = 0");
                ResultSet rows = statement.executeQuery()) {
            ResultSetMetaData columns = rows.getMetaData();
            Map<String, Type> types = new LinkedHashMap<>();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                types.put(
                        columns.getColumnName(i).toLowerCase(Locale.ROOT),
                        new Type(columns.getColumnType(i), columns.getColumnTypeName(i)));
            }
            return types;
        }
    }
}
