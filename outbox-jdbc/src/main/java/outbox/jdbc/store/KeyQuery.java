package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.AggregateKey;

/**
 * A query for the unfinished events of some keys, each up to a sequence number. It must look at no more than these, whatever else waits in the
 * table or is finished, and whatever the optimizer believes of the table: right after many inserts that is what was true of an empty one.
 * A join of the table with itself leaves the optimizer a choice that takes minutes if it is the wrong one, on every database. So each has its
 * own way, in which nothing is left to choose but the index.
 */
interface KeyQuery {

    /** Of no key more events are wanted: twice as many as an owner may hold, because the next ones may have to be brought back. */
    int MOST_OF_A_KEY = 2 * OrderedStore.LONGEST_LINE;

    /** For a key whose events are wanted however far behind they are. */
    long NO_END = Long.MAX_VALUE;

    /**
     * Finds the first unfinished events of the keys, at least {@link #MOST_OF_A_KEY} of each, in any order. May also find events of other
     * keys, and later ones, but only few.
     *
     * @param columnParams the parameters of the columns
     * @param wanted the keys, each with the last sequence number that is of interest; not empty
     */
    <T> List<T> find(
            Connection conn, List<Object> columnParams, Map<AggregateKey, Long> wanted, JdbcTemplate.RowMapper<T> rows)
            throws SQLException;

    /**
     * The way that fits the table's database.
     *
     * @param columns what is selected of the table, which they may call {@code member}; each has a name
     */
    static KeyQuery of(EventTable table, String columns) {
        return switch (table.dialect().capabilities().keyLookup()) {
            case LATERAL_ARRAYS -> new ByArrays(table.name(), columns);
            case ARRAYS_FOR_EACH_STATE ->
                new KeysTogether(
                        new ByArraysAndStates(table.name(), columns),
                        new KeysOneByOne(
                                table.name(), columns, KeysOneByOne.ALL_OF_THE_INDEX, new KeyIndexHint(table)));
            case LISTS ->
                new KeysTogether(
                        new KeysByLists(table.name(), columns, new KeyIndexHint(table)),
                        new KeysOneByOne(table.name(), columns, KeysOneByOne.SEQUENCE, new KeyIndexHint(table)));
        };
    }

    /** A query with its parameters. */
    record Select(String sql, List<Object> params) {

        <T> List<T> run(Connection conn, JdbcTemplate.RowMapper<T> rows) throws SQLException {
            return JdbcTemplate.query(conn, sql, rows, params.toArray());
        }
    }

    /** Makes one query for all keys, which reads as much of each as there is up to its number. */
    interface Together {

        /** With a limit of rows altogether. */
        Select select(Connection conn, List<Object> columnParams, Map<AggregateKey, Long> wanted, int limit)
                throws SQLException;

        /** Told when a query has failed: what was learnt of the table may not be true any more. */
        default void failed() {}
    }

    /**
     * Arrays, and one look into the index for each of their keys, which ends after some events. The id stands between itself and itself, and
     * is sorted by: otherwise the server would be free to read all finished events through the index of numbers.
     */
    final class ByArrays implements KeyQuery {

        private final String sql;

        ByArrays(TableName table, String columns) {
            this.sql = "SELECT " + columns
                    + " FROM unnest(?, ?, ?) AS wanted (type, id, until) CROSS JOIN LATERAL (SELECT event_id,"
                    + " event_type, aggregate_type, aggregate_id, seq, status, available_at, created_at, locked_by, locked_at FROM "
                    + table
                    + " WHERE aggregate_type = wanted.type AND aggregate_id BETWEEN wanted.id AND wanted.id"
                    + " AND (aggregate_id, seq) <= (wanted.id, wanted.until) AND "
                    + JdbcOrderedStore.unfinished("") + " ORDER BY aggregate_id, seq LIMIT " + MOST_OF_A_KEY
                    + ") member";
        }

        @Override
        public <T> List<T> find(
                Connection conn,
                List<Object> columnParams,
                Map<AggregateKey, Long> wanted,
                JdbcTemplate.RowMapper<T> rows)
                throws SQLException {
            List<Object> params = new ArrayList<>(columnParams);
            params.addAll(arrays(wanted));
            return new Select(sql, params).run(conn, rows);
        }
    }

    /** Arrays, and one look for each key and state: H2 finds nothing through an index behind a column that has several values. */
    final class ByArraysAndStates implements Together {

        private final String sql;

        ByArraysAndStates(TableName table, String columns) {
            String ofState = "SELECT " + columns + " FROM UNNEST(?, ?, ?) wanted (type, id, until) JOIN " + table
                    + " member ON member.aggregate_type = wanted.type AND member.aggregate_id = wanted.id"
                    + " AND member.seq <= wanted.until AND member.status = ";
            this.sql = ofState + "0 UNION ALL " + ofState + "2 UNION ALL " + ofState + "3 AND member.locked_by = '"
                    + OrderedStore.KEY_HELD + "' LIMIT ?";
        }

        @Override
        public Select select(Connection conn, List<Object> columnParams, Map<AggregateKey, Long> wanted, int limit) {
            List<Object> ofOne = new ArrayList<>(columnParams);
            ofOne.addAll(arrays(wanted));
            List<Object> params = new ArrayList<>();
            Collections.nCopies(3, ofOne).forEach(params::addAll);
            params.add(limit);
            return new Select(sql, params);
        }
    }

    private static List<Object> arrays(Map<AggregateKey, Long> wanted) {
        return List.of(
                array("varchar", wanted.keySet(), AggregateKey::aggregateType),
                array("varchar", wanted.keySet(), AggregateKey::aggregateId),
                array("bigint", wanted.values(), until -> until));
    }

    private static <E> JdbcTemplate.Parameter array(String type, Collection<E> elements, Function<E, Object> part) {
        Object[] values = elements.stream().map(part).toArray();
        return (statement, index) ->
                statement.setArray(index, statement.getConnection().createArrayOf(type, values));
    }

    /**
     * One query for all keys, as long as that finds few events: it cannot stop after some of each. If a key has many, because it is slow or
     * cannot go on, or if it is wanted whatever it has, keys are looked at one by one, which is dearer for each but does not depend on what
     * waits.
     */
    final class KeysTogether implements KeyQuery {

        private static final int MANY = 2_000;
        private static final int MANY_OF_EACH = 4;

        private final Together together;
        private final KeysOneByOne oneByOne;

        KeysTogether(Together together, KeysOneByOne oneByOne) {
            this.together = together;
            this.oneByOne = oneByOne;
        }

        @Override
        public <T> List<T> find(
                Connection conn,
                List<Object> columnParams,
                Map<AggregateKey, Long> wanted,
                JdbcTemplate.RowMapper<T> rows)
                throws SQLException {
            Map<AggregateKey, Long> limited = new LinkedHashMap<>(wanted);
            limited.values().removeIf(until -> until == NO_END);
            Map<AggregateKey, Long> others = new LinkedHashMap<>(wanted);
            others.keySet().removeAll(limited.keySet());
            try {
                List<T> found = new ArrayList<>();
                int many = MANY + MANY_OF_EACH * limited.size();
                if (!limited.isEmpty()) {
                    found.addAll(
                            together.select(conn, columnParams, limited, many).run(conn, rows));
                }
                if (found.size() == many) {
                    found = oneByOne.find(conn, columnParams, limited, rows);
                }
                found.addAll(oneByOne.find(conn, columnParams, others, rows));
                return found;
            } catch (SQLException e) {
                together.failed();
                oneByOne.failed();
                throw e;
            }
        }
    }
}
