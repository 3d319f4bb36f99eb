package outbox.benchmarks.candidate;

import java.sql.SQLException;
import outbox.benchmarks.database.DatabaseKind;
import outbox.benchmarks.database.Scratch;

/** One way to get events from a business transaction to a listener. Stateless; its participants do the work. */
public interface Candidate {

    /** Names the candidate in options and reports. */
    String name();

    /** Why it takes part. */
    Role role();

    /** Whether its settings are the documented defaults, in contrast to settings chosen for speed. */
    default boolean usesDefaults() {
        return false;
    }

    /** Whether it deletes what was delivered, in contrast to marking it. */
    default boolean deletes() {
        return false;
    }

    /** Over how many aggregates its events are spread, each of whose events it delivers in order; 0 if it keeps no order. */
    default int keys() {
        return 0;
    }

    /** How it is listened to. */
    default Listening listening() {
        return Listening.ONE_BY_ONE;
    }

    /** Whether it can be opened to {@link Purpose#CONSUME} and {@link Purpose#CONSUME_AT_ONCE}. */
    default boolean consumes() {
        return false;
    }

    /** Whether it works on such a database. */
    boolean runsOn(DatabaseKind kind);

    /** Creates what it needs in an empty database; the business table is there already. */
    void createTables(Scratch database) throws Exception;

    /** A query for the number of events that are not finished. */
    String pendingQuery();

    /** Adds rows of events that were finished long ago. */
    default void addFinished(Scratch database, int rows) throws SQLException {
        throw new UnsupportedOperationException(name() + " cannot add finished rows");
    }

    /** Goes to work. */
    Participant open(Scratch database, Purpose purpose, Deliveries deliveries) throws Exception;
}
