package outbox.jdbc.dialect;

import java.util.Objects;

/**
 * How a statement asks for the time of the database, in UTC and as what the time columns of the outbox's tables are.
 *
 * @param now an SQL expression
 * @param nowPlusMicros the same with one parameter, microseconds that are added and may be negative
 * @param notAfterNow an SQL expression with one parameter, a time: that time, or now if that is earlier
 */
public record DatabaseTime(String now, String nowPlusMicros, String notAfterNow) {

    public DatabaseTime {
        Objects.requireNonNull(now, "now");
        Objects.requireNonNull(nowPlusMicros, "nowPlusMicros");
        Objects.requireNonNull(notAfterNow, "notAfterNow");
    }

    /** For a database that knows {@code LEAST}. */
    public DatabaseTime(String now, String nowPlusMicros) {
        this(now, nowPlusMicros, "LEAST(?, " + now + ")");
    }
}
