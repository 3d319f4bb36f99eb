package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;

/** Compares the table with the columns that are needed. */
final class SchemaCheck {

    /** What every store needs. */
    static final List<String> COLUMNS = List.of(
            "event_id",
            "event_type",
            "aggregate_type",
            "aggregate_id",
            "tenant_id",
            "payload",
            "headers",
            "status",
            "attempts",
            "available_at",
            "created_at",
            "done_at",
            "last_error",
            "locked_by",
            "locked_at");

    private final TableName table;
    private final List<String> columns;
    private final String script;

    SchemaCheck(TableName table, List<String> columns, String script) {
        this.table = table;
        this.columns = columns;
        this.script = script;
    }

    void run(Connection conn) {
        List<String> missing = new ArrayList<>(columns);
        missing.removeAll(columnsOfTable(conn));
        if (!missing.isEmpty()) {
            String names = missing.stream().map(name -> '"' + name + '"').collect(Collectors.joining(", "));
            throw new OutboxStoreException(
                    "Table \"" + table + "\" is missing column " + names + ": apply " + script + " from outbox-jdbc",
                    null);
        }
    }

    private List<String> columnsOfTable(Connection conn) {
        try {
            return new TableColumns(table).names(conn);
        } catch (SQLException e) {
            throw new OutboxStoreException(
                    "Table \"" + table + "\" is missing or cannot be read: apply " + script + " from outbox-jdbc", e);
        }
    }
}
