package outbox.benchmarks.floor;

import java.sql.SQLException;
import java.util.List;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.DatabaseKind;
import outbox.benchmarks.database.Scratch;

/** Bare JDBC. */
public final class FloorCandidate implements Candidate {

    private final boolean deletes;

    private FloorCandidate(boolean deletes) {
        this.deletes = deletes;
    }

    /** Both forms: marking and deleting. */
    public static List<Candidate> all() {
        return List.of(new FloorCandidate(false), new FloorCandidate(true));
    }

    @Override
    public String name() {
        return deletes ? "floor-delete" : "floor";
    }

    @Override
    public Role role() {
        return Role.FLOOR;
    }

    @Override
    public boolean deletes() {
        return deletes;
    }

    @Override
    public boolean consumes() {
        return !deletes;
    }

    @Override
    public boolean runsOn(DatabaseKind kind) {
        return true;
    }

    @Override
    public void createTables(Scratch database) throws SQLException {
        database.execute(FloorSql.of(database.kind()).ddl().toArray(String[]::new));
    }

    @Override
    public String pendingQuery() {
        return "SELECT count(*) FROM floor_event WHERE status IN (0, 2)";
    }

    @Override
    public Participant open(Scratch database, Purpose purpose, Deliveries deliveries) throws SQLException {
        FloorSql sql = FloorSql.of(database.kind());
        FloorFinish finish = deletes ? sql::delete : sql::markDone;
        return switch (purpose) {
            case WRITE, WRITE_HOT, BACKLOG -> new FloorWriter(database, sql);
            case DELIVER -> new FloorHotPath(new FloorWriter(database, sql), database, sql, finish, deliveries);
            case DRAIN ->
                new FloorDrain(
                        database, sql, finish, batch -> batch.forEach(event -> deliveries.arrived(event.payload())));
            case DRAIN_TO_REMOTE -> new FloorDrain(database, sql, finish, new FloorSender(deliveries));
            case CONSUME -> new FloorConsumer(database, sql, false);
            case CONSUME_AT_ONCE -> new FloorConsumer(database, sql, true);
        };
    }
}
