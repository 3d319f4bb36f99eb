package outbox.jdbc.dialect;

import java.util.Objects;

/**
 * How a statement asks for the time of the database, in UTC and as what the time columns of the outbox's tables are.
 *
 * @param now an SQL expression
 * @param nowPlusMicros the same with one parameter, microseconds that are added and may be negative
 */
public record DatabaseTime(String now, String nowPlusMicros) {

    public DatabaseTime {
        Objects.requireNonNull(now, "now");
        Objects.requireNonNull(nowPlusMicros, "nowPlusMicros");
    }
}
