package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.EventIds;
import outbox.jdbc.dialect.Hints;

/**
 * Lists of values. All keys are read up to the last sequence number of any: with a number for each key the condition would be compared with
 * each row as often as there are keys.
 *
 * <p>MySQL and MariaDB look into an index how many entries a range of values has before they choose. Entries of rows that were finished a
 * moment ago are still there until the server has cleaned up behind them, and are counted; then reading the whole table looks cheaper. So
 * they are told to take the index of the keys, by the name that it has in this table.
 */
final class KeysByLists implements KeyQuery {

    private static final List<String> INDEX = List.of("aggregate_type", "aggregate_id", "status", "seq");

    private final TableName table;
    private final String from;
    private final String where;
    private final Hints hints;
    private volatile @Nullable String hint;

    KeysByLists(TableName table, String columns, Hints hints) {
        this.table = table;
        this.from = "SELECT " + columns + " FROM " + table + " member";
        this.where = " WHERE " + JdbcOrderedStore.unfinished("member.") + " AND seq <= ? AND (";
        this.hints = hints;
    }

    @Override
    public Select select(Connection conn, List<Object> columnParams, List<Wanted> wanted) throws SQLException {
        Map<String, List<String>> idsOfTypes = wanted.stream()
                .collect(Collectors.groupingBy(
                        Wanted::aggregateType,
                        LinkedHashMap::new,
                        Collectors.mapping(Wanted::aggregateId, Collectors.toList())));
        List<Object> params = new ArrayList<>(columnParams);
        params.add(wanted.stream().mapToLong(Wanted::until).max().orElseThrow());
        List<String> keys = new ArrayList<>();
        idsOfTypes.forEach((type, ids) -> {
            EventIds list = EventIds.inList("aggregate_id", ids);
            keys.add("(aggregate_type = ? AND " + list.condition() + ")");
            params.add(type);
            params.addAll(list.params());
        });
        return new Select(from + hint(conn) + where + String.join(" OR ", keys) + ")", params);
    }

    /** A table without such an index gets no hint; one that is added later is noticed after a restart. */
    private String hint(Connection conn) throws SQLException {
        String known = hint;
        if (known == null) {
            String index = hints.namesIndexes() ? new TableIndexes(table).nameOf(conn, INDEX) : null;
            known = index == null ? "" : hints.index(index);
            hint = known;
        }
        return known;
    }

    /** The index may have been dropped or renamed. */
    @Override
    public void failed() {
        hint = null;
    }
}
