package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.AggregateKey;

/** A query for each key and state, which ends after some events; several in one statement. */
final class KeysOneByOne {

    private static final int KEYS_IN_A_STATEMENT = 16;

    private static final List<String> STATES = List.of("0", "2", "3 AND locked_by = '" + OrderedStore.KEY_HELD + "'");

    /** The order of sequences, in words that make H2 see that its index has it. */
    static final String ALL_OF_THE_INDEX = "aggregate_type, aggregate_id, status, seq";

    /** The same for MySQL, which sorts by itself if it is told more than it needs. */
    static final String SEQUENCE = "seq";

    private final String from;
    private final String order;
    private final KeyIndexHint hint;

    KeysOneByOne(TableName table, String columns, String order, KeyIndexHint hint) {
        this.from = "SELECT " + columns + " FROM " + table + " member";
        this.order = order;
        this.hint = hint;
    }

    <T> List<T> find(
            Connection conn, List<Object> columnParams, Map<AggregateKey, Long> wanted, JdbcTemplate.RowMapper<T> rows)
            throws SQLException {
        List<T> found = new ArrayList<>();
        List<Map.Entry<AggregateKey, Long>> keys = List.copyOf(wanted.entrySet());
        for (int start = 0; start < keys.size(); start += KEYS_IN_A_STATEMENT) {
            int end = Math.min(keys.size(), start + KEYS_IN_A_STATEMENT);
            found.addAll(select(conn, columnParams, keys.subList(start, end)).run(conn, rows));
        }
        return found;
    }

    /** Each query stands in brackets of its own and is selected from: not every database takes a limit inside of a union. */
    private KeyQuery.Select select(
            Connection conn, List<Object> columnParams, List<Map.Entry<AggregateKey, Long>> wanted)
            throws SQLException {
        String table = from + hint.get(conn);
        List<String> queries = new ArrayList<>();
        List<Object> params = new ArrayList<>();
        for (Map.Entry<AggregateKey, Long> key : wanted) {
            List<Object> ofOne = new ArrayList<>(columnParams);
            Collections.addAll(ofOne, key.getKey().aggregateType(), key.getKey().aggregateId(), key.getValue());
            for (String state : STATES) {
                queries.add("SELECT * FROM (" + table + " WHERE aggregate_type = ? AND aggregate_id = ? AND seq <= ?"
                        + " AND status = " + state + " ORDER BY " + order + " LIMIT "
                        + KeyQuery.MOST_OF_A_KEY + ") one"
                        + queries.size());
                params.addAll(ofOne);
            }
        }
        return new KeyQuery.Select(String.join(" UNION ALL ", queries), params);
    }

    void failed() {
        hint.failed();
    }
}
