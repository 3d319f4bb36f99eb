package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.Binding;
import outbox.model.EventStatus;
import outbox.spi.OrderedStore;
import outbox.spi.PurgeRuns.Expiry;

/**
 * Rows of one status that ended before a time.
 *
 * @param hasEnd whether these are the rows with {@code done_at}, or those without, for which {@code created_at} counts
 */
record ExpiredKind(EventStatus status, boolean hasEnd, Instant before) {

    /** A DEAD event that holds its key is kept until a person has decided: without it the later ones of its key would go on. */
    static final String HOLDS_NO_KEY = "(locked_by IS NULL OR locked_by <> '" + OrderedStore.KEY_HELD + "')";

    /** Where rows are looked for, and how times are bound there. */
    record Source(Binding binding, String table) {}

    static List<ExpiredKind> of(Expiry expiry) {
        List<ExpiredKind> kinds = new ArrayList<>();
        for (boolean hasEnd : new boolean[] {true, false}) {
            kinds.add(new ExpiredKind(EventStatus.DONE, hasEnd, expiry.doneBefore()));
            if (expiry.deadBefore() != null) {
                kinds.add(new ExpiredKind(EventStatus.DEAD, hasEnd, expiry.deadBefore()));
            }
        }
        return kinds;
    }

    /** With one parameter, {@link #before()}. The status is no parameter: a database must see that its index on finished rows fits. */
    String condition() {
        return "status = " + status.code()
                + (hasEnd ? " AND done_at < ?" : " AND done_at IS NULL AND created_at < ?")
                + (status == EventStatus.DEAD ? " AND " + HOLDS_NO_KEY : "");
    }

    /** The next rows behind the last one, in the order of the index. */
    List<Candidate> find(Connection conn, Source source, @Nullable Candidate last, int limit) throws SQLException {
        String sql = "SELECT event_id, " + (hasEnd ? "done_at" : "created_at") + " FROM " + source.table + " WHERE "
                + condition() + (last == null ? "" : behind()) + " ORDER BY status, done_at, event_id LIMIT ?";
        List<Object> params = new ArrayList<>(List.of(source.binding.time(before)));
        if (last != null) {
            addPlace(params, last, source.binding);
        }
        params.add(limit);
        return JdbcTemplate.query(conn, sql, row -> candidate(row, source.binding), params.toArray());
    }

    private String behind() {
        return hasEnd ? " AND done_at >= ? AND (done_at > ? OR event_id > ?)" : " AND event_id > ?";
    }

    private void addPlace(List<Object> params, Candidate last, Binding binding) {
        if (hasEnd) {
            Collections.addAll(params, binding.time(last.end()), binding.time(last.end()));
        }
        params.add(last.eventId());
    }

    /** A date that is none, which MariaDB may have been made to accept, is as old as can be. */
    private static Candidate candidate(ResultSet row, Binding binding) throws SQLException {
        Instant end = binding.readTime(row, 2, JdbcTemplate.utcCalendar());
        return new Candidate(end == null ? Instant.EPOCH : end, row.getString(1));
    }
}
