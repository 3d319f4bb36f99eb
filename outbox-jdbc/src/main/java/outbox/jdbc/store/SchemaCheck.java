package outbox.jdbc.store;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Binding;
import outbox.jdbc.dialect.Failure;
import outbox.jdbc.dialect.Failures;
import outbox.jdbc.internal.rows.BytesRows;
import outbox.jdbc.preflight.PreflightCheck;
import outbox.jdbc.preflight.Trial;
import outbox.spi.Preflight;

/** Compares the table with what is needed, and reports everything that is missing at once, each with the script that repairs it. */
final class SchemaCheck implements PreflightCheck {

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

    private static final String ID = "event_id";

    /** Without such an index each run of the purge would read the whole table. */
    private static final List<String> FINISHED = List.of("status", "done_at");

    /** Without such an index each insert and each claim in order would read the whole table. */
    static final List<String> KEY = List.of("aggregate_type", "aggregate_id");

    private static final Logger LOG = SafeLog.of(SchemaCheck.class);

    private static final List<String> BYTES = List.of(BytesRows.COLUMNS.split(", "));

    private static final int SEQ_VERSION = 2;
    private static final int DUE_INDEX_VERSION = 4;
    static final int BYTES_VERSION = 8;

    private final TableName table;
    private final List<String> dueIndex;
    private final Failures failures;
    private final Binding binding;
    private final String database;
    private final String jar;

    /** With the name of the database in that of its scripts. */
    SchemaCheck(EventTable table, String database) {
        this.table = table.name();
        this.dueIndex = table.dialect().capabilities().ordersPendingInOneIndex()
                ? List.of("available_at", "event_id")
                : List.of("status", "available_at", "event_id");
        this.failures = table.dialect().failures();
        this.binding = table.binding();
        this.database = database;
        this.jar = SchemaUpgrade.of(this.table, database, table.dialect()).jar();
    }

    /** What every store needs. */
    void requireTable(Connection conn) {
        report(missingColumns(columns(conn), false));
        String missing = missingDueIndex(conn);
        if (missing != null) {
            LOG.log(Level.WARNING, missing);
        }
    }

    /** What order needs, which includes the rest. */
    void requireOrder(Connection conn) throws SQLException {
        List<String> missing = new ArrayList<>(missingColumns(columns(conn), true));
        addMissingKeyIndex(missing, new TableIndexes(table).all(conn));
        report(missing);
    }

    @Override
    public String name() {
        return "schema";
    }

    @Override
    public void look(Trial trial) throws SQLException {
        Map<String, TableColumns.Type> columns = trial.canUseTable() ? columns(trial) : Map.of();
        if (columns.isEmpty()) {
            return;
        }
        boolean ordered = trial.needs(Preflight.Need.KEEPS_ORDER);
        List<String> missing = new ArrayList<>(missingColumns(columns, ordered));
        if (trial.needs(Preflight.Need.KEEPS_BYTES) && !columns.keySet().containsAll(BYTES)) {
            missing.add("columns " + BYTES + ", which the payload transformer needs: " + upgradeTo(BYTES_VERSION));
        }
        List<String> wrong = new ColumnTypes(binding).wrong(columns);
        if (!missing.isEmpty() || !wrong.isEmpty()) {
            trial.giveUpTable();
        }
        lookAtIndexes(trial, ordered, missing);
        if (!missing.isEmpty()) {
            trial.refuse(message(missing));
        }
        if (!wrong.isEmpty()) {
            trial.refuse("Table \"" + table + "\": " + String.join("; ", wrong) + ": change the type to that of "
                    + script("") + " from " + jar);
        }
    }

    private void lookAtIndexes(Trial trial, boolean ordered, List<String> missing) throws SQLException {
        TableIndexes.All indexes = new TableIndexes(table).all(trial.connection());
        if (!indexes.hasKey(ID)) {
            missing.add("a primary key or unique index on (" + ID
                    + ") alone, without which an event may be there twice:" + " ALTER TABLE " + table
                    + " ADD PRIMARY KEY (" + ID + "), as in " + script("") + " from " + jar);
        }
        if (ordered) {
            addMissingKeyIndex(missing, indexes);
        }
        if (trial.needs(Preflight.Need.DELIVERS) && !indexes.mayHave(dueIndex)) {
            trial.warn(noDueIndex());
        }
        if (trial.needs(Preflight.Need.PURGES) && !indexes.mayHave(FINISHED)) {
            trial.warn("Table \"" + table + "\" has no index that begins with " + FINISHED
                    + ": each run of the purge reads the whole table; CREATE INDEX on them, as in " + script("")
                    + " from "
                    + jar);
        }
    }

    /** Empty if it cannot be read. A user who only writes need not be able to. */
    private Map<String, TableColumns.Type> columns(Trial trial) throws SQLException {
        Map<String, TableColumns.Type> columns = new LinkedHashMap<>();
        SQLException refused = trial.attempt(() -> columns.putAll(new TableColumns(table).types(trial.connection())));
        boolean onlyWrites = !trial.needs(Preflight.Need.DELIVERS) && !trial.needs(Preflight.Need.DELETES);
        if (refused != null && !(onlyWrites && failures.is(Failure.DENIED, refused))) {
            trial.refuse(unreadable().explain(trial.connection(), refused));
            trial.giveUpTable();
        }
        return columns;
    }

    private @Nullable String missingDueIndex(Connection conn) {
        try {
            return new TableIndexes(table).all(conn).mayHave(dueIndex) ? null : noDueIndex();
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "Cannot look at the indexes of table " + table, LoggedError.of(e));
            return null;
        }
    }

    private String noDueIndex() {
        return "Table \"" + table + "\" has no index that begins with " + dueIndex
                + ": each poll reads all pending events; " + upgradeTo(DUE_INDEX_VERSION);
    }

    private void addMissingKeyIndex(List<String> missing, TableIndexes.All indexes) {
        if (!indexes.mayHave(KEY)) {
            missing.add("an index that begins with " + KEY + ": apply " + script("-ordered") + " from " + jar);
        }
    }

    private List<String> missingColumns(Map<String, TableColumns.Type> there, boolean ordered) {
        List<String> missing = new ArrayList<>();
        List<String> needed =
                COLUMNS.stream().filter(name -> !there.containsKey(name)).toList();
        if (!needed.isEmpty()) {
            String names = needed.stream().map(name -> '"' + name + '"').collect(Collectors.joining(", "));
            missing.add("column " + names + ", which all versions have: " + additionOf(needed));
        }
        if (ordered && !there.containsKey(JdbcOrderedStore.SEQ)) {
            missing.add("column \"" + JdbcOrderedStore.SEQ + "\": " + upgradeTo(SEQ_VERSION));
        }
        return missing;
    }

    /** No version adds them, and the script leaves a table alone that is there. */
    private String additionOf(List<String> columns) {
        String add = columns.stream()
                .map(name -> "ADD COLUMN " + name + " " + typeOf(name))
                .collect(Collectors.joining(", "));
        return "ALTER TABLE " + table + " " + add + ", as in " + script("") + " from " + jar
                + ", which itself changes nothing in a table that exists";
    }

    private String typeOf(String column) {
        try {
            Matcher type = Pattern.compile("(?m)^\\s*" + column + "\\s+(\\w+(?:\\(\\d+\\))?)")
                    .matcher(OutboxSchema.script(database, table));
            return type.find() ? type.group(1) : "<type>";
        } catch (IllegalArgumentException e) {
            return "<type>"; // the script of another jar
        }
    }

    private void report(List<String> missing) {
        if (!missing.isEmpty()) {
            throw new OutboxStoreException(message(missing), null);
        }
    }

    private String message(List<String> missing) {
        return "Table \"" + table + "\" is missing " + String.join("; ", missing);
    }

    private Map<String, TableColumns.Type> columns(Connection conn) {
        try {
            return inSavepoint(conn);
        } catch (SQLException e) {
            throw new OutboxStoreException(unreadable().explain(conn, e), e);
        }
    }

    private UnreadableTable unreadable() {
        return new UnreadableTable(table, failures, script("") + " from " + jar);
    }

    /** On PostgreSQL a failed statement would otherwise leave a transaction in which nothing more can be asked. */
    private Map<String, TableColumns.Type> inSavepoint(Connection conn) throws SQLException {
        if (conn.getAutoCommit()) {
            return new TableColumns(table).types(conn);
        }
        Savepoint before = conn.setSavepoint();
        try {
            return new TableColumns(table).types(conn);
        } catch (SQLException e) {
            conn.rollback(before);
            throw e;
        }
    }

    private String upgradeTo(int version) {
        return new SchemaUpgrade(table, database, jar).to(version);
    }

    private String script(String suffix) {
        return OutboxSchema.resource(database + suffix);
    }
}
