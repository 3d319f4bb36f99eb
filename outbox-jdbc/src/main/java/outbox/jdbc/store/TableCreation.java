package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Set;
import org.jspecify.annotations.Nullable;
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

    private static final String NODES = "_node";
    private static final String ORDERED = "-ordered";

    /** Each time somebody else has created at least one thing more, and there are not that many. */
    private static final int TRIES = 20;

    private static final Set<Failure> OF_ANOTHER_CREATION =
            Set.of(Failure.EXISTS, Failure.DUPLICATE, Failure.DEADLOCK, Failure.LOCK_TIMEOUT, Failure.SERIALIZATION);

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
        // The table of nodes is the last thing that the script creates.
        create(conn, database, look -> canBeRead(look, table) && canBeRead(look, table.beside(NODES)));
        if (ordered) {
            create(conn, database + ORDERED, look -> new TableIndexes(table).nameOf(look, SchemaCheck.KEY) != null);
        }
    }

    private void create(Connection conn, String script, Look look) {
        for (int tries = 1; ; tries++) {
            try {
                if (look.isThere(conn)) {
                    return;
                }
                undoneAlone(conn, () -> OutboxSchema.create(conn, script, table));
                return;
            } catch (SQLException e) {
                throw OutboxStoreException.of("look for what a script creates", table, e);
            } catch (OutboxStoreException e) {
                SQLException refusal = e.getCause() instanceof SQLException cause ? cause : null;
                if (isLeftToTheStart(conn, refusal)) {
                    return;
                }
                if (refusal == null || tries == TRIES || !isOfAnotherCreation(refusal)) {
                    throw e;
                }
            }
        }
    }

    /** Who may not create what is missing may go on without: the start says what that is, and whether it is needed. */
    private boolean isLeftToTheStart(Connection conn, @Nullable SQLException refusal) {
        return refusal != null && failures.is(Failure.DENIED, refusal) && canBeRead(conn, table);
    }

    private boolean isOfAnotherCreation(SQLException refusal) {
        return OF_ANOTHER_CREATION.stream().anyMatch(failure -> failures.is(failure, refusal));
    }

    /** Whether there is such a table; one that this user may not read is there as well. */
    private boolean canBeRead(Connection conn, TableName name) {
        try {
            undoneAlone(conn, () -> new TableColumns(name).types(conn));
            return true;
        } catch (SQLException e) {
            return failures.is(Failure.DENIED, e);
        }
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
