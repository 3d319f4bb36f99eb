package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.DatabaseTime;

/** What may be taken of keys: the events that come before the first one which is neither free and due nor the owner's own. */
final class KeyLines {

    private final KeyQuery query;

    KeyLines(EventTable table, DatabaseTime time) {
        this.query = KeyQuery.of(table, columns(time));
    }

    private static String columns(DatabaseTime time) {
        String mine = "member.locked_by = ? AND member.locked_at >= " + time.nowPlusMicros();
        return "member." + Candidate.COLUMNS.replace(", ", ", member.") + ", CASE WHEN " + mine
                + " THEN 1 ELSE 0 END, CASE WHEN member.status <> 3 AND ((" + mine + ") OR ("
                + Claims.free("member.", time) + ")) THEN 1 ELSE 0 END";
    }

    /** An event that is free and due. */
    record Candidate(
            String eventId,
            @Nullable String aggregateType,
            @Nullable String aggregateId,
            long seq) {

        static final String COLUMNS = "event_id, aggregate_type, aggregate_id, seq";

        static Candidate of(ResultSet row) throws SQLException {
            return new Candidate(row.getString(1), row.getString(2), row.getString(3), row.getLong(4));
        }

        boolean hasKey() {
            return aggregateType != null && aggregateId != null;
        }

        List<@Nullable String> key() {
            List<@Nullable String> key = new ArrayList<>(2);
            key.add(aggregateType);
            key.add(aggregateId);
            return key;
        }

        static Candidate later(Candidate one, Candidate other) {
            return one.seq > other.seq ? one : other;
        }

        private KeyQuery.Wanted wanted(int reach) {
            return new KeyQuery.Wanted(
                    Objects.requireNonNull(aggregateType), Objects.requireNonNull(aggregateId), seq + reach);
        }
    }

    /** An event of a line. */
    record Member(String eventId, boolean mine) {}

    /** An unfinished event of a key; closed to the owner if somebody else has it, or if it is not due. */
    private record Unfinished(Candidate event, boolean mine, boolean open) {

        static Unfinished of(ResultSet row) throws SQLException {
            return new Unfinished(Candidate.of(row), row.getInt(5) == 1, row.getInt(6) == 1);
        }
    }

    /**
     * The line of each key, in order, as far as it may be taken. A key whose first event is closed has none.
     *
     * @param lastOfKeys an event for each key, up to which to look
     * @param reach how far to look beyond it
     */
    Map<List<@Nullable String>, List<Member>> of(
            Connection conn, OrderedClaims.Request request, Collection<Candidate> lastOfKeys, int reach)
            throws SQLException {
        if (lastOfKeys.isEmpty()) {
            return new HashMap<>();
        }
        List<Unfinished> found = new ArrayList<>(unfinished(
                conn,
                columnParams(request),
                lastOfKeys.stream().map(last -> last.wanted(reach)).toList()));
        found.sort(Comparator.comparingLong(unfinished -> unfinished.event.seq));
        return openLines(found, lastOfKeys, reach);
    }

    private List<Unfinished> unfinished(Connection conn, List<Object> columnParams, List<KeyQuery.Wanted> wanted)
            throws SQLException {
        try {
            KeyQuery.Select select = query.select(conn, columnParams, wanted);
            return JdbcTemplate.query(
                    conn, select.sql(), Unfinished::of, select.params().toArray());
        } catch (SQLException e) {
            query.failed();
            throw e;
        }
    }

    private static List<Object> columnParams(OrderedClaims.Request request) {
        List<Object> mine = List.of(request.ownerId(), -EventTable.micros(request.timeout()));
        List<Object> params = new ArrayList<>(mine);
        params.addAll(mine);
        params.addAll(Claims.freeParams(request.timeout(), request.skipRecent()));
        return params;
    }

    private static Map<List<@Nullable String>, List<Member>> openLines(
            List<Unfinished> inOrder, Collection<Candidate> lastOfKeys, int reach) {
        Map<List<@Nullable String>, Long> openUntil = new HashMap<>();
        lastOfKeys.forEach(last -> openUntil.put(last.key(), last.seq + reach));
        Map<List<@Nullable String>, List<Member>> lines = new HashMap<>();
        for (Unfinished unfinished : inOrder) {
            List<@Nullable String> key = unfinished.event.key();
            if (!unfinished.open) {
                openUntil.remove(key);
            } else if (unfinished.event.seq <= openUntil.getOrDefault(key, Long.MIN_VALUE)) {
                lines.computeIfAbsent(key, any -> new ArrayList<>())
                        .add(new Member(unfinished.event.eventId, unfinished.mine));
            }
        }
        return lines;
    }
}
