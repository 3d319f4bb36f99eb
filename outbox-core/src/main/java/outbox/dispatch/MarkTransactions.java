package outbox.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import outbox.dispatch.CompletionWriter.Marks;
import outbox.dispatch.CompletionWriter.Written;
import outbox.internal.ShortTransaction;
import outbox.spi.ConnectionProvider;

/** Writes groups of outcomes, each on a connection and in a transaction of its own, or without one where none is needed. */
final class MarkTransactions {

    private static final int PROBE_TIMEOUT_SECONDS = 2;

    private final ConnectionProvider connections;
    private final Marks marks;

    MarkTransactions(ConnectionProvider connections, Marks marks) {
        this.connections = connections;
        this.marks = marks;
    }

    Written write(List<Completion> group) throws SQLException {
        return new Written(ShortTransaction.run(connections, conn -> writeOn(conn, group)), Set.of());
    }

    private Set<String> writeOn(Connection conn, List<Completion> group) throws SQLException {
        if (marks.isRepeatable(group)) {
            return marks.write(conn, group);
        }
        return ShortTransaction.atomically(conn, transaction -> marks.write(transaction, group));
    }

    /** As {@link Marks#writeUnlocked}. */
    Optional<Written> writeUnlocked(List<Completion> group) throws SQLException {
        return ShortTransaction.run(
                connections,
                conn -> ShortTransaction.atomically(conn, transaction -> marks.writeUnlocked(transaction, group)));
    }

    /** Whether a connection can be had and says that it is valid. */
    boolean databaseAnswers() {
        try (Connection conn = connections.getConnection()) {
            return conn == null || isValid(conn);
        } catch (SQLException | RuntimeException e) {
            return false;
        }
    }

    private static boolean isValid(Connection conn) throws SQLException {
        try {
            return conn.isValid(PROBE_TIMEOUT_SECONDS);
        } catch (RuntimeException e) {
            return true; // a connection that cannot be asked is there all the same
        }
    }
}
