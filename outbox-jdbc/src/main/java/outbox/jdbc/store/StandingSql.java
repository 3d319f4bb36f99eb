package outbox.jdbc.store;

import outbox.jdbc.TableName;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.Standing;

/**
 * How a new event stands, as an expression of PostgreSQL: first if no event of its key is unfinished, behind if all that are belong to the
 * owner, otherwise free.
 *
 * <p>A statement sees what was committed before it began, which is what first means. In a transaction of a stricter isolation level it
 * sees what was committed before the transaction began, so there an event is never more than behind.
 *
 * <p>It stands in the insert of each event, which must not be planned each time: planning takes as long as the rest. The server keeps a plan
 * only if that seems to cost no more than plans made for the very values. So the last limit is a parameter, of which it expects a tenth of the
 * rows; and the events of a key are sorted, as its index has them, so that it does not think of reading the table up to the first ones.
 * An id between itself and itself is the id, but to sort by it is not idle: so the index of numbers, which also holds finished events, is
 * no way to sort.
 */
final class StandingSql {

    /** Behind so many unfinished events of a key a new one is left to the poller. */
    private static final int LONGEST_LINE = OrderedStore.LONGEST_LINE - 1;

    /** What {@link #of} has as its last parameter. */
    static final long LIMIT = LONGEST_LINE + 1;

    private StandingSql() {}

    /** With the owner as its first parameter, those of the key, if they are some (the id twice), and {@link #LIMIT}. */
    static String of(TableName table, String aggregateType, String aggregateId) {
        String unfinished = "SELECT earlier.locked_by FROM " + table + " earlier WHERE earlier.aggregate_type = "
                + aggregateType + " AND earlier.aggregate_id BETWEEN " + aggregateId + " AND " + aggregateId + " AND "
                + JdbcOrderedStore.unfinished("earlier.") + " ORDER BY earlier.aggregate_id, earlier.seq LIMIT "
                + LIMIT;
        return "(SELECT CASE WHEN count(*) = 0 AND current_setting('transaction_isolation') = 'read committed' THEN "
                + code(Standing.FIRST) + " WHEN count(*) > " + LONGEST_LINE
                + " OR bool_or(locked_by IS DISTINCT FROM ?) THEN " + code(Standing.FREE) + " ELSE "
                + code(Standing.BEHIND) + " END FROM (SELECT locked_by FROM (" + unfinished
                + ") longest LIMIT ?) line)";
    }

    /** The insert's last two columns, owner and time of a lease, for an event that is not free; with the owner as its parameter. */
    static String lease(DatabaseTime time) {
        String leased = "CASE WHEN standing <> " + code(Standing.FREE) + " THEN ";
        return leased + "? END, " + leased + time.now() + " END";
    }

    static String code(Standing standing) {
        return "'" + standing + "'";
    }
}
