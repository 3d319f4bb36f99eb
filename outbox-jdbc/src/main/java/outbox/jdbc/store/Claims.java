package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.RowWords;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.jdbc.dialect.EventIds;
import outbox.jdbc.dialect.Locking;
import outbox.jdbc.internal.rows.BytesRows;
import outbox.jdbc.internal.rows.EventRowMapper;
import outbox.model.BytesPayload;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore.Found;
import outbox.spi.LeaseStore.Position;
import outbox.spi.LeaseStore.Suspicion;
import outbox.spi.LeaseStore.Taken;

/**
 * Takes events for an owner.
 *
 * <p>A claim works in two phases. First the ids of free events are read without any lock, oldest first. Then they are read again under
 * lock, by primary key and with the whole condition: of two owners that saw the same free event only one finds it free again. Those that it
 * does are taken. Because rows are found by primary key nothing but them is locked, which keeps inserts and other claims out of the way on
 * every isolation level. The lock comes before the update: the other way round it could not be told which events were taken now and which
 * the same owner took or renewed a moment ago.
 *
 * <p>A database whose updates return rows does all of it in one statement.
 *
 * <p>Events are looked at in the order in which they are due. A claim may begin where the last one took its first event: what lies before is
 * most often finished, and its entries in the index may stay there for long.
 */
final class Claims {

    /** How often a claim looks again after other owners took everything that it had seen. */
    private static final int TRIES = 3;

    private static final String TO_TAKE = "event_id, locked_by AS was_by, locked_at AS was_at, last_error AS was_said";

    /** From the lock on. */
    private static final String TAKE_IN_ONE_STATEMENT = """
            ) UPDATE %1$s AS event%2$s FROM free WHERE event.event_id = free.event_id RETURNING event.%3$s""";

    private static final String RETURNED = EventRowMapper.COLUMNS.replace(", ", ", event.") + ", " + TakenRow.FOUND;

    /** So far ahead that no clock is. */
    private static final long ANY_AGE = EventTable.micros(Duration.ofDays(36_500));

    /** One row with a number that nobody counted must not keep all the others from being taken. */
    private static final String ATTEMPTS_WHEN_TAKEN = "CASE WHEN attempts < 0 THEN 0 ELSE attempts END";

    /**
     * Taken over from another owner an event is a suspect, and as many crashes as were held against it before still are. In this order: MySQL
     * and MariaDB let the later assignments see what the earlier ones have set.
     */
    private static final String TAKE_OVER = " SET attempts = " + ATTEMPTS_WHEN_TAKEN + ","
            + " last_error = CASE WHEN locked_at IS NULL OR locked_by = ? THEN last_error ELSE CONCAT("
            + "CASE WHEN last_error LIKE '" + RowWords.SUSPECT + "%' THEN SUBSTRING(last_error, 1, "
            + RowWords.SUSPECT_LENGTH + ") ELSE '" + RowWords.suspect(0) + "' END, '" + RowWords.EXPIRED
            + "', COALESCE(locked_by, 'unknown')) END, locked_by = ?, locked_at = ";

    /** For events that cannot have begun: nothing is held against them. */
    private static final String TAKE_UNSUSPECTED =
            " SET attempts = " + ATTEMPTS_WHEN_TAKEN + ", locked_by = ?, locked_at = ";

    private final EventTable table;
    private final Locking locking;
    private final boolean inOneStatement;
    private final boolean waits;
    private final PendingRows.Query find;
    private final PendingRows.Query findToTake;
    private final String take;
    private final String read;
    private final String stillFree;
    private final String assign;

    Claims(EventTable table, Way way) {
        this.table = table;
        this.locking = table.dialect().locking();
        this.inOneStatement = table.dialect().capabilities().updatesReturning();
        this.waits = way.waits;
        PendingRows pending = new PendingRows(table);
        this.find = pending.query("event_id, available_at", way.free);
        this.findToTake = pending.queryToTake(TO_TAKE, way.free);
        this.take = String.format(Locale.ROOT, TAKE_IN_ONE_STATEMENT, table.name(), way.assignments, RETURNED);
        this.read =
                "SELECT " + way.columns + ", " + TakenRow.BEFORE_UPDATE + " FROM " + table.byPrimaryKey() + " WHERE ";
        this.stillFree = " AND " + EventTable.PENDING + " AND " + way.free;
        this.assign = "UPDATE " + table.byPrimaryKey() + way.assignments + " WHERE ";
    }

    /**
     * One way to take events.
     *
     * @param free the condition of those that may be taken
     * @param assignments what is set, from {@code SET} on
     * @param columns what is read under lock of rows that the assignments are about to change
     * @param waits whether rows that others have locked are waited for
     */
    record Way(String free, String assignments, String columns, boolean waits) {}

    /**
     * The parameters of a claim.
     *
     * @param free those of the condition
     * @param assignments those of the assignments
     * @param ownerId who claims, if it is asked what is held against the events
     */
    record Params(
            List<Object> free,
            List<Object> assignments,
            @Nullable String ownerId) {}

    /** Claims by the time of the database, with {@link #leaseParams}. */
    static Claims byLease(EventTable table, DatabaseTime time) {
        return byLease(table, time, TAKE_OVER);
    }

    /** As {@link #byLease}, for events that cannot have begun, with {@link #unsuspectedParams}. */
    static Claims unsuspected(EventTable table, DatabaseTime time) {
        return byLease(table, time, TAKE_UNSUSPECTED);
    }

    private static Claims byLease(EventTable table, DatabaseTime time, String assignments) {
        String columns = EventRowMapper.COLUMNS.replace("attempts", ATTEMPTS_WHEN_TAKEN);
        return new Claims(table, new Way(free("", time), assignments + time.now(), columns, false));
    }

    /**
     * What may be leased: due and leased to nobody, or to somebody who has not renewed it for too long.
     *
     * @param alias of the table, followed by a dot; or empty
     */
    static String free(String alias, DatabaseTime time) {
        String sql = "#available_at <= " + time.now() + " AND (#locked_at IS NULL OR #locked_at < "
                + time.nowPlusMicros() + ")" + " AND #created_at <= " + time.nowPlusMicros();
        return sql.replace("#", alias);
    }

    /** The parameters of {@link #free}. */
    static List<Object> freeParams(Duration timeout, Duration skipRecent) {
        return List.of(-EventTable.micros(timeout), skipRecent.isZero() ? ANY_AGE : -EventTable.micros(skipRecent));
    }

    /** The parameters of a claim by lease. */
    static Params leaseParams(String ownerId, Duration timeout, Duration skipRecent) {
        return new Params(freeParams(timeout, skipRecent), List.of(ownerId, ownerId), ownerId);
    }

    /** The parameters of a claim of events that cannot have begun. */
    static Params unsuspectedParams(String ownerId, Duration timeout, Duration skipRecent) {
        return new Params(freeParams(timeout, skipRecent), List.of(ownerId), null);
    }

    /** Takes events, those that are due longest first and no more than the limit, and returns them in order of their creation. */
    Found take(Connection conn, Params params, PendingRows.Range range) throws SQLException {
        List<TakenAt> taken =
                inOneStatement ? takeInOneStatement(conn, params, range) : takeInTwoPhases(conn, params, range);
        return new Found(
                taken.stream()
                        .map(TakenAt::taken)
                        .sorted(Comparator.comparing(Taken::event, EventTable.CLAIM_ORDER))
                        .toList(),
                taken.stream()
                        .map(TakenAt::position)
                        .min(Comparator.naturalOrder())
                        .orElse(null));
    }

    private List<TakenAt> takeInOneStatement(Connection conn, Params params, PendingRows.Range range)
            throws SQLException {
        String sql = findToTake.text(range) + locking.claim(conn) + take;
        List<Object> all = new ArrayList<>(List.of(findToTake.params(params.free, range)));
        all.addAll(params.assignments);
        // Should there be no memory for the rows, nothing is claimed: nobody would know of it until the leases expire.
        return ShortTransaction.atomically(
                conn,
                transaction -> withBytes(
                        transaction, JdbcTemplate.updateReturning(transaction, sql, rows(params), all.toArray())));
    }

    private List<TakenAt> takeInTwoPhases(Connection conn, Params params, PendingRows.Range range) throws SQLException {
        Object[] ofFind = find.params(params.free, range);
        for (int tries = 1; ; tries++) {
            List<String> seen = JdbcTemplate.query(conn, find.text(range), row -> row.getString(1), ofFind);
            if (seen.isEmpty()) {
                return List.of();
            }
            List<TakenAt> won =
                    ShortTransaction.atomically(conn, transaction -> takeOfThese(transaction, params, seen));
            if (!won.isEmpty() || tries == TRIES) {
                return won;
            }
        }
    }

    private List<TakenAt> takeOfThese(Connection conn, Params params, List<String> seen) throws SQLException {
        List<TakenAt> won = lockFree(conn, params, seen);
        if (!won.isEmpty()) {
            assign(
                    conn,
                    params,
                    won.stream().map(row -> row.taken.event().eventId()).toList());
        }
        return won;
    }

    /** Locks those of the events that are still free, and reads them. */
    List<TakenAt> lockFree(Connection conn, Params params, Collection<String> eventIds) throws SQLException {
        EventIds ids = table.ids(eventIds);
        String lock = waits ? locking.forUpdate() : locking.claim(conn);
        String select = read + ids.condition() + stillFree + lock;
        return withBytes(conn, JdbcTemplate.query(conn, select, rows(params), ids.paramsBefore(params.free.toArray())));
    }

    private List<TakenAt> withBytes(Connection conn, List<TakenAt> rows) throws SQLException {
        Map<String, BytesPayload> bytes =
                table.bytes().read(conn, rows.stream().map(row -> row.taken.event()), locking.currentRead());
        return bytes.isEmpty()
                ? rows
                : rows.stream().map(row -> row.with(bytes)).toList();
    }

    private TakenRow rows(Params params) {
        return new TakenRow(table, params.ownerId);
    }

    /** An event that was taken, and where it lay. */
    record TakenAt(Taken taken, Position position) {

        private TakenAt with(Map<String, BytesPayload> bytes) {
            return new TakenAt(new Taken(BytesRows.complete(taken.event(), bytes), taken.suspicion()), position);
        }
    }

    /** Takes events that are locked. */
    void assign(Connection conn, Params params, Collection<String> eventIds) throws SQLException {
        EventIds ids = table.ids(eventIds);
        JdbcTemplate.update(conn, assign + ids.condition(), ids.paramsAfter(params.assignments.toArray()));
    }

    /** Reads events with what their rows said before a claim took them. One for each query, as the mapper that it uses. */
    private static final class TakenRow implements JdbcTemplate.RowMapper<TakenAt> {

        /** What is read of a row as it was before, behind {@link EventRowMapper#COLUMNS}. */
        private static final String BEFORE = "%1$s, CASE WHEN %2$s IS NULL THEN 0 ELSE 1 END, CASE WHEN %3$s LIKE '"
                + RowWords.SUSPECT + "%%' THEN %3$s END, available_at";

        static final String BEFORE_UPDATE = String.format(Locale.ROOT, BEFORE, "locked_by", "locked_at", "last_error");

        /** The same from what the statement has found to update. */
        static final String FOUND = String.format(Locale.ROOT, BEFORE, "was_by", "was_at", "was_said");

        private static final int FIRST_BEFORE = EventRowMapper.COLUMNS.split(",").length + 1;

        private final EventTable table;
        private final EventRowMapper events;
        private final Calendar utc = JdbcTemplate.utcCalendar();
        private final @Nullable String ownerId;

        /** @param ownerId who claims; null if suspicion is not asked for */
        TakenRow(EventTable table, @Nullable String ownerId) {
            this.table = table;
            this.events = table.rows();
            this.ownerId = ownerId;
        }

        @Override
        public TakenAt map(ResultSet row) throws SQLException {
            OutboxEvent event = events.map(row);
            Instant availableAt = table.binding().readTime(row, FIRST_BEFORE + 3, utc);
            return new TakenAt(
                    new Taken(event, ownerId == null ? null : suspicion(row, ownerId)),
                    new Position(availableAt == null ? Instant.EPOCH : availableAt, event.eventId()));
        }

        private static @Nullable Suspicion suspicion(ResultSet row, String ownerId) throws SQLException {
            boolean takenOver = row.getInt(FIRST_BEFORE + 1) == 1 && !ownerId.equals(row.getString(FIRST_BEFORE));
            String said = row.getString(FIRST_BEFORE + 2);
            Suspicion before = said == null ? null : RowWords.suspicion(said);
            if (!takenOver) {
                return before;
            }
            return new Suspicion(before == null ? 0 : before.crashes(), false);
        }
    }
}
