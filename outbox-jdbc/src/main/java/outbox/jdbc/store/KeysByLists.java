package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.EventIds;
import outbox.spi.OrderedStore.AggregateKey;

/**
 * Lists of values. All keys are read up to the last sequence number of any: with a number for each key the condition would be compared with
 * each row as often as there are keys.
 */
final class KeysByLists implements KeyQuery.Together {

    private final String from;
    private final String where;
    private final KeyIndexHint hint;

    KeysByLists(TableName table, String columns, KeyIndexHint hint) {
        this.from = "SELECT " + columns + " FROM " + table + " member";
        this.where = " WHERE " + JdbcOrderedStore.unfinished("member.") + " AND seq <= ? AND (";
        this.hint = hint;
    }

    @Override
    public KeyQuery.Select select(Connection conn, List<Object> columnParams, Map<AggregateKey, Long> wanted, int limit)
            throws SQLException {
        Map<String, List<String>> idsOfTypes = wanted.keySet().stream()
                .collect(Collectors.groupingBy(
                        AggregateKey::aggregateType,
                        LinkedHashMap::new,
                        Collectors.mapping(AggregateKey::aggregateId, Collectors.toList())));
        List<Object> params = new ArrayList<>(columnParams);
        params.add(wanted.values().stream().mapToLong(until -> until).max().orElseThrow());
        List<String> keys = new ArrayList<>();
        idsOfTypes.forEach((type, ids) -> {
            EventIds list = EventIds.inList("aggregate_id", ids);
            keys.add("(aggregate_type = ? AND " + list.condition() + ")");
            params.add(type);
            params.addAll(list.params());
        });
        params.add(limit);
        return new KeyQuery.Select(from + hint.get(conn) + where + String.join(" OR ", keys) + ") LIMIT ?", params);
    }

    @Override
    public void failed() {
        hint.failed();
    }
}
