package outbox.jdbc.preflight;

import java.sql.Connection;
import java.sql.SQLException;
import outbox.jdbc.JdbcTemplate;
import outbox.spi.Preflight;

/**
 * A proxy that gives each statement another session of the server, such as PgBouncer in statement mode. It ends a connection on which a transaction
 * begins, which looks like a database that is away.
 */
final class StatementPooling {

    static final String MESSAGE =
            "A proxy such as PgBouncer in statement mode lets no transaction begin: it answers single statements and ends the"
                    + " connection of a transaction. An outbox is nothing without transactions: set pool_mode = transaction (and prepareThreshold=0"
                    + " in the JDBC URL) or session, or connect directly";

    /** What the server, or who stands in for it, says to something that is not allowed between it and its clients. */
    private static final String PROTOCOL_VIOLATION = "08P01";

    private StatementPooling() {}

    /** Whether that failure of a transaction comes from there: single statements are answered. */
    static boolean explains(SQLException failure, Preflight.Work work, Trial.Subject subject) {
        String question = subject.dialect().probes().session();
        if (question == null || !PROTOCOL_VIOLATION.equals(failure.getSQLState())) {
            return false;
        }
        try (Connection conn = work.connections().getConnection()) {
            boolean found = conn.getAutoCommit();
            conn.setAutoCommit(true);
            try {
                return !JdbcTemplate.query(conn, question, row -> row.getInt(1)).isEmpty();
            } finally {
                conn.setAutoCommit(found);
            }
        } catch (SQLException e) {
            return false;
        }
    }
}
