package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import outbox.internal.text.RowWords;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.Capabilities.KeyLookup;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.jdbc.dialect.EventIds;
import outbox.spi.CompactionStore;
import outbox.spi.LeaseStore;

/**
 * Compaction by the column {@code seq} and the index of keys, which order needs too. Each question looks at one state of one key, so an optimizer
 * has nothing to choose but that index; finished events are not in it, or lie apart.
 */
final class JdbcCompactionStore implements CompactionStore {

    private static final List<Integer> PENDING_STATES = List.of(0, 2);

    /** Of one key and state so many are looked at in one go. */
    private static final int MOST_OF_A_STATE = 1_000;

    private static final String NEIGHBOUR = """
            (SELECT other.event_id FROM %1$s other%2$s WHERE %3$s AND %4$s AND other.status = %5$d\
             AND other.event_type = me.event_type%6$s LIMIT 1)""";

    private static final String PENDING = """
            SELECT event_id, seq, CASE WHEN last_error LIKE '%6$s%%' THEN 1 ELSE 0 END,\
             CASE WHEN %7$s THEN 1 ELSE 0 END FROM %1$s member%2$s WHERE aggregate_type = ? AND aggregate_id = %8$s\
             AND status = %3$d AND event_type = ? ORDER BY %4$s LIMIT %5$d""";

    /** So that PostgreSQL plans for any key: for one of which there are many finished events it would read the table. */
    private static final String OF_A_KEY =
            "SELECT found.* FROM unnest(ARRAY[CAST(? AS VARCHAR)]) AS wanted(id) CROSS JOIN LATERAL (%s) found";

    private static final String END = """
            UPDATE %1$s SET status = 1, done_at = %2$s, last_error = ?, locked_by = NULL, locked_at = NULL WHERE\s""";

    private static final String IF_FREE = " AND " + EventTable.PENDING + " AND locked_at IS NULL";

    private static final String IF_LEASED = " AND " + EventTable.PENDING
            + " AND locked_at IS NOT NULL AND (last_error IS NULL OR last_error NOT LIKE '" + RowWords.SUSPECT + "%')";

    private final EventTable table;
    private final FencedMarks marks;
    private final KeyIndexHint hint;
    private final String end;
    private final String tell;

    /** The condition of events that are not delayed any more: a price of tomorrow does not replace that of today. With the alias and a dot. */
    private final String begun;

    JdbcCompactionStore(EventTable table, DatabaseTime time) {
        this.table = table;
        this.marks = new FencedMarks(table, time);
        this.hint = new KeyIndexHint(table);
        this.end = String.format(Locale.ROOT, END, table.byPrimaryKey(), time.now());
        this.begun = "(#status = 2 OR #available_at <= " + time.now() + " OR #locked_by = '" + RowWords.PARKED + "')";
        this.tell = "UPDATE " + table.byPrimaryKey() + " SET last_error = ? WHERE ";
    }

    @Override
    public Map<String, Place> places(Connection conn, Collection<String> eventIds) {
        EventIds ids = table.ids(eventIds);
        return table.run("ask which events are superseded", () -> {
            Map<String, Place> places = new HashMap<>();
            String index = hint.get(conn);
            String sql = "SELECT event_id, CASE WHEN last_error LIKE '" + RowWords.OUTDATED + "%' THEN 1 ELSE 0 END, "
                    + neighbour("me", "other", index, " AND " + begun.replace("#", "other.")) + ", "
                    + neighbour("other", "me", index, "") + " FROM "
                    + table.name() + " me WHERE " + ids.condition();
            JdbcTemplate.query(
                    conn,
                    sql,
                    row -> places.put(
                            row.getString(1),
                            new Place(row.getInt(2) == 1 || row.getString(3) != null, row.getString(4) != null)),
                    ids.params().toArray());
            return places;
        });
    }

    /** The id of a pending event of the same line, of which one is earlier than the other; null if there is none. */
    private String neighbour(String first, String second, String index, String more) {
        List<String> ofStates = PENDING_STATES.stream()
                .map(state -> String.format(
                        Locale.ROOT,
                        NEIGHBOUR,
                        table.name(),
                        index,
                        JdbcOrderedStore.sameKey("other", "me"),
                        JdbcOrderedStore.earlier(first, second, table.dialect()),
                        state,
                        more))
                .toList();
        return "COALESCE(" + String.join(", ", ofStates) + ")";
    }

    /**
     * A pending event of a line.
     *
     * @param outdated whether its row says that it is superseded
     * @param counts whether older ones are superseded by it
     */
    private record Member(String eventId, long seq, boolean outdated, boolean counts) {}

    @Override
    public int sweep(Connection conn, Line line, boolean tellsLeased) {
        return table.change("end superseded events", conn, () -> {
            List<Member> members = pending(conn, line);
            long newest = members.stream()
                    .filter(Member::counts)
                    .mapToLong(Member::seq)
                    .max()
                    .orElse(Long.MIN_VALUE);
            // In one order whoever sweeps, so that two of them do not wait for each other.
            List<String> older = members.stream()
                    .filter(member -> member.seq < newest || member.outdated)
                    .map(Member::eventId)
                    .sorted()
                    .toList();
            return older.isEmpty()
                    ? 0
                    : ShortTransaction.atomically(conn, transaction -> end(transaction, older, tellsLeased));
        });
    }

    private List<Member> pending(Connection conn, Line line) throws SQLException {
        List<Member> members = new ArrayList<>();
        KeyLookup lookup = table.dialect().capabilities().keyLookup();
        boolean lateral = lookup == KeyLookup.LATERAL_ARRAYS;
        Object[] params = lateral
                ? new Object[] {line.aggregateId(), line.aggregateType(), line.eventType()}
                : new Object[] {line.aggregateType(), line.aggregateId(), line.eventType()};
        for (int state : PENDING_STATES) {
            String sql = String.format(
                    Locale.ROOT,
                    PENDING,
                    table.name(),
                    hint.get(conn),
                    state,
                    orderOfIndex(lookup),
                    MOST_OF_A_STATE,
                    RowWords.OUTDATED,
                    begun.replace("#", "member."),
                    lateral ? "wanted.id" : "?");
            members.addAll(JdbcTemplate.query(
                    conn,
                    lateral ? String.format(Locale.ROOT, OF_A_KEY, sql) : sql,
                    JdbcCompactionStore::member,
                    params));
        }
        members.sort(Comparator.comparingLong(Member::seq));
        return members;
    }

    /** The order in words that make the optimizer see that an index has it. */
    private static String orderOfIndex(KeyLookup lookup) {
        return switch (lookup) {
            case LATERAL_ARRAYS -> "aggregate_type, aggregate_id, seq";
            case ARRAYS_FOR_EACH_STATE -> KeysOneByOne.ALL_OF_THE_INDEX;
            case LISTS -> KeysOneByOne.SEQUENCE;
        };
    }

    private static Member member(ResultSet row) throws SQLException {
        return new Member(row.getString(1), row.getLong(2), row.getInt(3) == 1, row.getInt(4) == 1);
    }

    /** Under locks all is asked again: what somebody has leased meanwhile may have begun. */
    private int end(Connection conn, List<String> older, boolean tellsLeased) throws SQLException {
        EventIds ids = table.ids(older);
        int ended = JdbcTemplate.updateWithin(
                table.markSeconds(), conn, end + ids.condition() + IF_FREE, ids.paramsAfter(RowWords.superseded()));
        if (tellsLeased && ended < older.size()) {
            JdbcTemplate.updateWithin(
                    table.markSeconds(),
                    conn,
                    tell + ids.condition() + IF_LEASED,
                    ids.paramsAfter(RowWords.outdated()));
        }
        return ended;
    }

    @Override
    public Set<String> markSuperseded(Connection conn, String ownerId, List<String> eventIds) {
        return marks.markSuperseded(conn, ownerId, eventIds);
    }

    @Override
    public Set<String> markRetry(Connection conn, String ownerId, List<LeaseStore.HeldRetry> retries) {
        return marks.markOutdatedRetry(conn, ownerId, retries);
    }

    @Override
    public void checkSchema(Connection conn) {
        table.run("look at the columns and indexes", () -> {
            new SchemaCheck(table, table.dialect().name()).requireOrder(conn);
            return true;
        });
    }
}
