package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.spi.OrderedStore;

/**
 * A query for the unfinished events of some keys, each up to a sequence number. It must look at no more than these, whatever else waits in the
 * table or is finished, and whatever the optimizer believes of the table: right after many inserts that is what was true of an empty one.
 * A join of the table with itself leaves the optimizer a choice that takes minutes if it is the wrong one, on every database. So each has its
 * own way, in which nothing is left to choose but the index.
 */
interface KeyQuery {

    /** A key and the sequence number up to which its events are wanted. */
    record Wanted(String aggregateType, String aggregateId, long until) {}

    /** A query with its parameters. */
    record Select(String sql, List<Object> params) {}

    /**
     * Selects the columns, of which these are the parameters. May find events of other keys, and later ones, but only few.
     *
     * @param wanted at least one key, each only once
     */
    Select select(Connection conn, List<Object> columnParams, List<Wanted> wanted) throws SQLException;

    /** Told when a query has failed: what was learnt of the table may not be true any more. */
    default void failed() {}

    /**
     * The way that fits the table's database.
     *
     * @param columns what is selected of the table, which they may call {@code member}
     */
    static KeyQuery of(EventTable table, String columns) {
        return switch (table.dialect().capabilities().keyLookup()) {
            case LATERAL_ARRAYS -> byArrays(table.name(), columns);
            case ARRAYS_FOR_EACH_STATE -> byArraysAndStates(table.name(), columns);
            case LISTS -> new KeysByLists(table.name(), columns, table.dialect().hints());
        };
    }

    /**
     * Arrays, and one look into the index for each of their keys; without OFFSET the server would be free to read the table instead, and
     * with a number compared alone to read all finished events through the index of numbers.
     */
    private static KeyQuery byArrays(TableName table, String columns) {
        String sql = "SELECT " + columns
                + " FROM unnest(?, ?, ?) AS wanted (type, id, until) CROSS JOIN LATERAL (SELECT event_id,"
                + " aggregate_type, aggregate_id, seq, status, available_at, created_at, locked_by, locked_at FROM "
                + table
                + " WHERE aggregate_type = wanted.type AND aggregate_id = wanted.id"
                + " AND (aggregate_id, seq) <= (wanted.id, wanted.until) AND "
                + JdbcOrderedStore.unfinished("") + " ORDER BY seq OFFSET 0) member";
        return (conn, columnParams, wanted) -> {
            List<Object> params = new ArrayList<>(columnParams);
            params.addAll(arrays(wanted));
            return new Select(sql, params);
        };
    }

    /** Arrays, and one look for each key and state: H2 finds nothing through an index behind a column that has several values. */
    private static KeyQuery byArraysAndStates(TableName table, String columns) {
        String ofState = "SELECT " + columns + " FROM UNNEST(?, ?, ?) wanted (type, id, until) JOIN " + table
                + " member ON member.aggregate_type = wanted.type AND member.aggregate_id = wanted.id"
                + " AND member.seq <= wanted.until AND member.status = ";
        String sql = ofState + "0 UNION ALL " + ofState + "2 UNION ALL " + ofState + "3 AND member.locked_by = '"
                + OrderedStore.KEY_HELD + "'";
        return (conn, columnParams, wanted) -> {
            List<Object> ofOne = new ArrayList<>(columnParams);
            ofOne.addAll(arrays(wanted));
            return new Select(
                    sql,
                    Collections.nCopies(3, ofOne).stream().flatMap(List::stream).toList());
        };
    }

    private static List<Object> arrays(List<Wanted> wanted) {
        return List.of(
                array("varchar", wanted, Wanted::aggregateType),
                array("varchar", wanted, Wanted::aggregateId),
                array("bigint", wanted, Wanted::until));
    }

    private static JdbcTemplate.Parameter array(String type, List<Wanted> wanted, Function<Wanted, Object> part) {
        Object[] values = wanted.stream().map(part).toArray();
        return (statement, index) ->
                statement.setArray(index, statement.getConnection().createArrayOf(type, values));
    }
}
