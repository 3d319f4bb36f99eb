package outbox.jdbc.dialect;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Calendar;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;

/**
 * How values get into statements and out of rows. What the methods return is given to {@link JdbcTemplate}, so it may be a
 * {@link JdbcTemplate.Parameter}.
 */
public interface Binding {

    /** Text for JSON, timestamps for times and a list of placeholders for ids. */
    Binding STANDARD = new Binding() {};

    /** JSON text. By default a string. */
    default @Nullable Object json(@Nullable String json) {
        return json;
    }

    /** A time. By default a timestamp in UTC. */
    default Object time(Instant time) {
        return time;
    }

    /** A time that is written with each event. By default as any other. */
    default Object writtenTime(Instant time) {
        return time(time);
    }

    /**
     * Reads a time, or null for none.
     *
     * @param utc from {@link JdbcTemplate#utcCalendar()}, for drivers that need one
     */
    default @Nullable Instant readTime(ResultSet row, int column, Calendar utc) throws SQLException {
        Timestamp time = row.getTimestamp(column, utc);
        return time == null ? null : time.toInstant();
    }

    /** A text of the table for a comparison in which nothing but the same text is equal, whatever the collation. By default as it is. */
    default String exactly(String text) {
        return text;
    }

    /** A condition that names several events. By default a list of placeholders. */
    default EventIds ids(Collection<String> ids) {
        return EventIds.inList(ids);
    }
}
