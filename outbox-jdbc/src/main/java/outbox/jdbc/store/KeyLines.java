package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.RowWords;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.model.EventRoute;
import outbox.spi.LeaseStore.ClaimRequest;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.AggregateKey;

/** How keys stand: which of their events may be taken, and why none may. */
final class KeyLines {

    /** Who waits for less is not put off. */
    private static final Duration SHORT = Duration.ofSeconds(10);

    private final EventTable table;
    private final KeyQuery query;

    KeyLines(EventTable table, DatabaseTime time) {
        this.table = table;
        this.query = KeyQuery.of(table, columns(time));
    }

    private static String columns(DatabaseTime time) {
        String mine = "member.locked_by = ? AND member.locked_at >= " + time.nowPlusMicros();
        String open = "member.status <> 3 AND ((" + mine + ") OR (" + Claims.free("member.", time) + "))";
        String parked = "member.locked_by = '" + RowWords.PARKED + "' AND member.locked_at IS NULL";
        return "member.event_id AS event_id, member.aggregate_type AS aggregate_type,"
                + " member.aggregate_id AS aggregate_id, member.event_type AS event_type, member.seq AS seq, member.status AS status,"
                + " member.available_at AS available_at, " + time.now() + " AS asked_at, "
                + flag(mine) + " AS mine, " + flag(open) + " AS is_open, " + flag(parked) + " AS parked, "
                + flag("member.locked_at >= " + time.nowPlusMicros()) + " AS leased";
    }

    private static String flag(String condition) {
        return "CASE WHEN " + condition + " THEN 1 ELSE 0 END";
    }

    private static List<Object> columnParams(ClaimRequest request) {
        List<Object> mine = List.of(request.ownerId(), -EventTable.micros(request.timeout()));
        List<Object> params = new ArrayList<>(mine);
        params.addAll(mine);
        params.addAll(Claims.freeParams(request.timeout(), request.skipRecent()));
        params.add(-EventTable.micros(request.timeout()));
        return params;
    }

    /** An event of a line. */
    record Member(String eventId, boolean mine) {}

    /**
     * How a key stands.
     *
     * @param open its first unfinished events, in order, up to the first one that is neither free and due nor the owner's own
     * @param more whether the line goes on, and no more of it was looked at because the owner may not hold more
     * @param parked the ids of the next events, if they were put off although nothing but events that are open or leased is before them
     * @param obstacle why there are no open ones, if that lies in the table and will last
     */
    record Line(
            List<Member> open,
            boolean more,
            List<String> parked,
            @Nullable Obstacle obstacle) {

        static final Line EMPTY = new Line(List.of(), false, List.of(), null);
    }

    /**
     * Why a key cannot go on.
     *
     * @param lasts until its first event is due; null if a person must let the key go on
     * @param askedAt the time of the database
     */
    record Obstacle(@Nullable Duration lasts, Instant askedAt) {}

    /** An unfinished event of a key; closed to the owner if somebody else has it, or if it is not due. */
    private record Unfinished(AggregateKey key, Member member, long seq, State state) {}

    private record State(
            boolean open, boolean leased, boolean parked, boolean held, Instant availableAt, Instant askedAt) {

        @Nullable
        Obstacle obstacle() {
            if (held) {
                return new Obstacle(null, askedAt);
            }
            Duration wait = Duration.between(askedAt, availableAt);
            return leased || parked || wait.compareTo(SHORT) < 0 ? null : new Obstacle(wait, askedAt);
        }
    }

    /** The line of each key, as far as it is asked for. A key that has finished has none. */
    Map<AggregateKey, Line> of(Connection conn, ClaimRequest request, Map<AggregateKey, Long> wanted)
            throws SQLException {
        if (wanted.isEmpty()) {
            return new HashMap<>();
        }
        Map<AggregateKey, List<Unfinished>> ofKeys = new HashMap<>();
        Calendar utc = JdbcTemplate.utcCalendar();
        query.find(conn, columnParams(request), wanted, row -> unfinished(row, request.leftOut(), utc)).stream()
                .filter(event -> event.seq <= wanted.getOrDefault(event.key, Long.MIN_VALUE))
                .sorted(Comparator.comparingLong(Unfinished::seq))
                .forEach(event -> ofKeys.computeIfAbsent(event.key, any -> new ArrayList<>())
                        .add(event));
        Map<AggregateKey, Line> lines = new HashMap<>();
        ofKeys.forEach((key, inOrder) -> lines.put(key, line(inOrder)));
        return lines;
    }

    /** What the owner cannot deliver is closed to it, and to nobody else: that is no obstacle in the table. */
    private Unfinished unfinished(ResultSet row, Set<EventRoute> leftOut, Calendar utc) throws SQLException {
        AggregateKey key = new AggregateKey(row.getString("aggregate_type"), row.getString("aggregate_id"));
        Member member = new Member(row.getString("event_id"), row.getInt("mine") == 1);
        return new Unfinished(
                key,
                member,
                row.getLong("seq"),
                new State(
                        row.getInt("is_open") == 1 && !isLeftOut(row, leftOut),
                        row.getInt("leased") == 1,
                        row.getInt("parked") == 1,
                        row.getInt("status") == 3,
                        time(row, "available_at", utc),
                        time(row, "asked_at", utc)));
    }

    private static boolean isLeftOut(ResultSet row, Set<EventRoute> leftOut) throws SQLException {
        return !leftOut.isEmpty()
                && leftOut.contains(EventRoute.of(row.getString("aggregate_type"), row.getString("event_type")));
    }

    private Instant time(ResultSet row, String column, Calendar utc) throws SQLException {
        return Objects.requireNonNullElse(table.binding().readTime(row, row.findColumn(column), utc), Instant.EPOCH);
    }

    private static Line line(List<Unfinished> inOrder) {
        List<Member> open = new ArrayList<>();
        for (Unfinished event : inOrder) {
            if (!event.state.open || open.size() == OrderedStore.LONGEST_LINE) {
                break;
            }
            open.add(event.member);
        }
        boolean more = open.size() == OrderedStore.LONGEST_LINE && inOrder.size() > open.size();
        return new Line(open, more, nextParked(inOrder), inOrder.get(0).state.obstacle());
    }

    private static List<String> nextParked(List<Unfinished> inOrder) {
        return inOrder.stream()
                .dropWhile(event -> event.state.open || event.state.leased)
                .takeWhile(event -> event.state.parked)
                .map(event -> event.member.eventId)
                .limit(OrderedStore.LONGEST_LINE)
                .toList();
    }
}
