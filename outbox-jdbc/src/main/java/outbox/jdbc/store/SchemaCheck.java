package outbox.jdbc.store;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.SchemaVersions;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Failures;

/** Compares the table with what is needed, and reports everything that is missing at once, each with the script that repairs it. */
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

    /** Without such an index each insert and each claim in order would read the whole table. */
    private static final List<String> KEY = List.of("aggregate_type", "aggregate_id");

    private static final Logger LOG = SafeLog.of(SchemaCheck.class);

    private static final int SEQ_VERSION = 2;
    private static final int DUE_INDEX_VERSION = 4;

    private final TableName table;
    private final List<String> dueIndex;
    private final Failures failures;
    private final String database;
    private final String jar;

    /** With the name of the database in that of its scripts. */
    SchemaCheck(EventTable table, String database) {
        this.table = table.name();
        this.dueIndex = table.dialect().capabilities().ordersPendingInOneIndex()
                ? List.of("available_at", "event_id")
                : List.of("status", "available_at", "event_id");
        this.failures = table.dialect().failures();
        this.database = database;
        this.jar = Objects.requireNonNullElse(table.dialect().scriptsIn(), "outbox-jdbc");
    }

    /** What every store needs. */
    void requireTable(Connection conn) {
        report(missingColumns(conn, false));
        warnWithoutDueIndex(conn);
    }

    private void warnWithoutDueIndex(Connection conn) {
        try {
            if (!new TableIndexes(table).mayHave(conn, dueIndex)) {
                LOG.log(
                        Level.WARNING,
                        "Table \"" + table + "\" has no index that begins with " + dueIndex
                                + ": each poll reads all pending events; apply " + scriptOf(DUE_INDEX_VERSION)
                                + " from "
                                + jar);
            }
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "Cannot look at the indexes of table " + table, LoggedError.of(e));
        }
    }

    /** What order needs, which includes the rest. */
    void requireOrder(Connection conn) throws SQLException {
        List<String> missing = new ArrayList<>(missingColumns(conn, true));
        if (!new TableIndexes(table).mayHave(conn, KEY)) {
            missing.add("an index that begins with " + KEY + ": apply " + script("-ordered"));
        }
        report(missing);
    }

    private List<String> missingColumns(Connection conn, boolean ordered) {
        List<String> there = columns(conn);
        List<String> missing = new ArrayList<>();
        List<String> needed =
                COLUMNS.stream().filter(name -> !there.contains(name)).toList();
        if (!needed.isEmpty()) {
            String names = needed.stream().map(name -> '"' + name + '"').collect(Collectors.joining(", "));
            missing.add("column " + names + ": apply " + script(""));
        }
        if (ordered && !there.contains(JdbcOrderedStore.SEQ)) {
            missing.add("column \"" + JdbcOrderedStore.SEQ + "\": apply " + scriptOf(SEQ_VERSION));
        }
        return missing;
    }

    private void report(List<String> missing) {
        if (!missing.isEmpty()) {
            throw new OutboxStoreException(
                    "Table \"" + table + "\" is missing " + String.join("; ", missing) + " from " + jar, null);
        }
    }

    private List<String> columns(Connection conn) {
        try {
            return inSavepoint(conn);
        } catch (SQLException e) {
            throw new OutboxStoreException(
                    new UnreadableTable(table, failures, script("") + " from " + jar).explain(conn, e), e);
        }
    }

    /** On PostgreSQL a failed statement would otherwise leave a transaction in which nothing more can be asked. */
    private List<String> inSavepoint(Connection conn) throws SQLException {
        if (conn.getAutoCommit()) {
            return new TableColumns(table).names(conn);
        }
        Savepoint before = conn.setSavepoint();
        try {
            return new TableColumns(table).names(conn);
        } catch (SQLException e) {
            conn.rollback(before);
            throw e;
        }
    }

    /** The script of a version; a database of somebody else may come without versions. */
    private String scriptOf(int version) {
        SchemaVersions versions = OutboxSchema.versions(database);
        return versions.has(version) ? versions.resource(version) : script("");
    }

    private String script(String suffix) {
        return OutboxSchema.resource(database + suffix);
    }
}
