package outbox.jdbc.dialect;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import outbox.jdbc.JdbcTemplate;

/**
 * A condition that names several events.
 *
 * @param condition SQL on a column of the table
 * @param params its parameters
 */
public record EventIds(String condition, List<Object> params) {

    /**
     * A list of placeholders whose length is a power of two, filled up with the last id: so there are only a few different statements,
     * and drivers and servers find them prepared.
     */
    public static EventIds inList(Collection<String> ids) {
        return inList("event_id", ids);
    }

    /** The same for another column that names events. */
    public static EventIds inList(String column, Collection<String> values) {
        List<Object> params = new ArrayList<>(values);
        int length = Integer.highestOneBit(Math.max(1, values.size() * 2 - 1));
        params.addAll(Collections.nCopies(length - values.size(), params.get(params.size() - 1)));
        return new EventIds(column + " IN (" + "?, ".repeat(length - 1) + "?)", params);
    }

    /** One array, for a database that takes it. */
    public static EventIds anyOf(Collection<String> ids) {
        JdbcTemplate.Parameter array = (statement, index) ->
                statement.setArray(index, statement.getConnection().createArrayOf("varchar", ids.toArray()));
        return new EventIds("event_id = ANY (?)", List.of(array));
    }

    /** All parameters of a statement in which others come last. */
    public Object[] paramsBefore(Object... last) {
        List<Object> all = new ArrayList<>(params);
        Collections.addAll(all, last);
        return all.toArray();
    }

    /** All parameters of a statement in which one other comes first, and some come last. */
    public Object[] paramsBetween(Object first, Object... last) {
        List<Object> all = new ArrayList<>();
        all.add(first);
        Collections.addAll(all, paramsBefore(last));
        return all.toArray();
    }

    /** All parameters of a statement in which others come first. */
    public Object[] paramsAfter(Object... first) {
        List<Object> all = new ArrayList<>(List.of(first));
        all.addAll(params);
        return all.toArray();
    }
}
