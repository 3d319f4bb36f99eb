package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Failure;
import outbox.jdbc.dialect.Failures;

/**
 * Creates the table with what belongs to it, unless it is there; several processes may do so at once. What is there is looked at first: not
 * every user who may use a table may create one, and {@code IF NOT EXISTS} asks for that right in any case. Nor does it keep two
 * creations apart: the later one may fail, and finds everything there when it looks again.
 */
final class TableCreation {

    private static final String ORDERED = "-ordered";

    /**
     * More than a script creates things, of which each can be lost to somebody else once. What a database says then is too different to be told
     * from other failures: H2 for example calls it a general error.
     */
    private static final int TRIES = 8;

    private final TableName table;
    private final Failures failures;
    private final String database;

    /** With the name of the database in that of its scripts. */
    TableCreation(EventTable table, String database) {
        this.table = table.name();
        this.failures = table.dialect().failures();
        this.database = database;
    }

    /** What is to be there. */
    @FunctionalInterface
    private interface Look {
        boolean isThere(Connection conn) throws SQLException;
    }

    void create(Connection conn, boolean ordered) {
        create(conn, database, look -> isThere(look, table) && areThere(look, "_node", "_pause"));
        if (ordered) {
            create(conn, database + ORDERED, look -> new TableIndexes(table).nameOf(look, SchemaCheck.KEY) != null);
        }
    }

    private void create(Connection conn, String script, Look look) {
        int tries = 1;
        while (!isDone(conn, script, look, tries == TRIES)) {
            tries++;
        }
    }

    /** A look may fail while somebody else creates (H2 lists indexes of a table that is changing): then it is worth another one as well. */
    private boolean isDone(Connection conn, String script, Look look, boolean isLast) {
        try {
            return look.isThere(conn) || isSettled(conn, script, isLast);
        } catch (SQLException e) {
            if (isLast) {
                throw OutboxStoreException.of("look for what a script creates", table, e);
            }
            return false;
        }
    }

    /** Creates; returns false if somebody else may have created something meanwhile, so that it is worth another look. */
    private boolean isSettled(Connection conn, String script, boolean isLast) throws SQLException {
        try {
            undoneAlone(conn, () -> OutboxSchema.create(conn, script, table));
            return true;
        } catch (OutboxStoreException e) {
            if (isLast) {
                throw e;
            }
            return isLeftToTheStart(conn, e);
        }
    }

    /** Who may not create what is missing may go on without: the start says what that is, and whether it is needed. */
    private boolean isLeftToTheStart(Connection conn, OutboxStoreException failure) throws SQLException {
        return failure.getCause() instanceof SQLException refusal
                && failures.is(Failure.DENIED, refusal)
                && isThere(conn, table);
    }

    private boolean areThere(Connection conn, String... beside) throws SQLException {
        for (String suffix : beside) {
            if (!isThere(conn, table.beside(suffix))) {
                return false;
            }
        }
        return true;
    }

    private boolean isThere(Connection conn, TableName name) throws SQLException {
        try {
            undoneAlone(conn, () -> new TableColumns(name).types(conn));
            return true;
        } catch (SQLException e) {
            return failures.is(Failure.DENIED, e) && isListed(conn, name);
        }
    }

    /** One that this user may write but not read is there as well; some databases refuse to say of others whether they are. */
    private static boolean isListed(Connection conn, TableName name) throws SQLException {
        TablePlace place = TablePlace.of(conn, name);
        try (ResultSet tables = conn.getMetaData().getTables(place.catalog(), place.schema(), "%", null)) {
            while (tables.next()) {
                if (place.table().equals(tables.getString("TABLE_NAME"))) {
                    return true;
                }
            }
        }
        return false;
    }

    @FunctionalInterface
    private interface Work {
        void run() throws SQLException;
    }

    /** Where a failed statement makes the rest of its transaction fail, only that statement shall. */
    private void undoneAlone(Connection conn, Work work) throws SQLException {
        if (!failures.endsTransaction() || conn.getAutoCommit()) {
            work.run();
            return;
        }
        Savepoint before = conn.setSavepoint();
        try {
            work.run();
        } catch (SQLException | RuntimeException e) {
            conn.rollback(before);
            throw e;
        }
    }
}
