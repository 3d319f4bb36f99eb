package outbox.jdbc.dialect;

import java.sql.Types;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;

/** Binds without types where the server can tell them better, and lists as arrays. */
final class PostgresBinding implements Binding {

    static final PostgresBinding INSTANCE = new PostgresBinding();

    private static final Instant YEAR_1 = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant YEAR_10000 =
            Instant.parse("9999-12-31T00:00:00Z").plus(1, ChronoUnit.DAYS);

    private PostgresBinding() {}

    /** Untyped, so that the server converts it to whatever the column is: JSON, JSONB or text. */
    @Override
    public JdbcTemplate.Parameter json(@Nullable String json) {
        return (statement, index) -> statement.setObject(index, json, Types.OTHER);
    }

    /**
     * Untyped as well, in UTC: read right by TIMESTAMP, which ignores the zone, and by TIMESTAMPTZ. Several times as quick as by way of a
     * calendar, which is what the driver needs for years that are not of four digits.
     */
    @Override
    public Object writtenTime(Instant time) {
        if (time.isBefore(YEAR_1) || !time.isBefore(YEAR_10000)) {
            return time;
        }
        String text = time.truncatedTo(ChronoUnit.MICROS).toString();
        return (JdbcTemplate.Parameter) (statement, index) -> statement.setObject(index, text, Types.OTHER);
    }

    @Override
    public EventIds ids(Collection<String> ids) {
        return EventIds.anyOf(ids);
    }
}
