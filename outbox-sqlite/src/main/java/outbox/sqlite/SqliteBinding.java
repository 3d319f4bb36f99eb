package outbox.sqlite;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Calendar;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.dialect.Binding;

/** Times are microseconds since 1970: SQLite has no type for them, and its functions for text know milliseconds only. */
final class SqliteBinding implements Binding {

    @Override
    public Object time(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    @Override
    public @Nullable Instant readTime(ResultSet row, int column, Calendar utc) throws SQLException {
        long micros = row.getLong(column);
        return row.wasNull() ? null : Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
