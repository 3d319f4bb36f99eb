package outbox.benchmarks.database;

import java.sql.SQLException;
import java.util.OptionalLong;

/** Counts what a database is asked to do between two moments. */
public interface CostMeter extends AutoCloseable {

    /** Forgets what was. */
    void begin() throws SQLException;

    /** What was done since; call it when the candidate has closed its connections, which makes servers report all. */
    Costs end() throws SQLException;

    /** How many statements were executed since the beginning, also while the candidate is at work. */
    long statements() throws SQLException;

    /** Where the server's log ends now, if it tells: of use while nobody else is at work, since it is one log for all databases. */
    OptionalLong logPosition() throws SQLException;

    @Override
    void close() throws SQLException;
}
