package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.EventIds;
import outbox.spi.LeaseStore.Held;

/** Marks delivered events DONE, or deletes them, as long as their owner holds them; returns those that came too late. */
final class HeldEnds {

    private final EventTable table;
    private final MarkLimit limit;

    HeldEnds(EventTable table, MarkLimit limit) {
        this.table = table;
        this.limit = limit;
    }

    /** The end of delivered events. */
    private interface Finish {

        /** Finishes those that are held, all taken with the same number of attempts, and returns how many. */
        int apply(EventIds ids, int attempts) throws SQLException;

        /** Finds those that were not finished because they are not held any more. */
        List<String> notApplied(EventIds ids, List<String> given) throws SQLException;
    }

    Set<String> markDone(Connection conn, String ownerId, List<Held> events) {
        // By this value the rows are recognised that were marked here, if not all could be.
        Object doneAt = table.at(Instant.now().truncatedTo(ChronoUnit.MICROS));
        return finish("mark " + events.size() + " event(s) DONE", conn, events, new Finish() {

            @Override
            public int apply(EventIds ids, int attempts) throws SQLException {
                String update = "UPDATE " + table.byPrimaryKey() + " SET status = 1, done_at = ?" + LeaseSql.FREED
                        + " WHERE " + ids.condition() + LeaseSql.HELD_WITH_ATTEMPTS;
                return JdbcTemplate.updateWithin(
                        limit.seconds(), conn, update, ids.paramsBetween(doneAt, attempts, ownerId));
            }

            @Override
            public List<String> notApplied(EventIds ids, List<String> given) throws SQLException {
                String select = "SELECT event_id FROM " + table.name() + " WHERE " + ids.condition()
                        + " AND status = 1 AND done_at = ?";
                List<String> done = JdbcTemplate.query(conn, select, row -> row.getString(1), ids.paramsBefore(doneAt));
                return given.stream().filter(id -> !done.contains(id)).toList();
            }
        });
    }

    Set<String> delete(Connection conn, String ownerId, List<Held> events) {
        return finish("delete " + events.size() + " delivered event(s)", conn, events, new Finish() {

            @Override
            public int apply(EventIds ids, int attempts) throws SQLException {
                String delete = table.dialect().hints().deleteFrom(table.name().toString()) + " WHERE "
                        + ids.condition() + LeaseSql.HELD_WITH_ATTEMPTS;
                return JdbcTemplate.updateWithin(limit.seconds(), conn, delete, ids.paramsBefore(attempts, ownerId));
            }

            /** One that is gone may have been deleted by another owner; that cannot be told any more. */
            @Override
            public List<String> notApplied(EventIds ids, List<String> given) throws SQLException {
                String select = "SELECT event_id FROM " + table.name() + " WHERE " + ids.condition();
                return JdbcTemplate.query(
                        conn, select, row -> row.getString(1), ids.params().toArray());
            }
        });
    }

    /** One statement for all that have the same number of attempts behind them. */
    private Set<String> finish(String what, Connection conn, List<Held> events, Finish finish) {
        Set<String> late = new LinkedHashSet<>();
        HeldByAttempts.of(events).forEach((attempts, given) -> {
            EventIds ids = table.ids(given);
            late.addAll(table.change(what, conn, () -> {
                return finish.apply(ids, attempts) == given.size() ? List.of() : finish.notApplied(ids, given);
            }));
        });
        return late;
    }
}
