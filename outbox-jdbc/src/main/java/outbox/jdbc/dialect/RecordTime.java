package outbox.jdbc.dialect;

import java.util.Locale;
import java.util.Objects;

/**
 * How a statement asks for the time of the database as what the time columns of consume records are, which have a time zone where the
 * database knows one.
 *
 * @param now an SQL expression
 * @param nowPlusMicros the same with one parameter, microseconds that are added; null for no time at all
 * @param microsUntilFormat an SQL expression for the microseconds until a time, which takes the place of {@code %s}
 */
public record RecordTime(String now, String nowPlusMicros, String microsUntilFormat) {

    public RecordTime {
        Objects.requireNonNull(now, "now");
        Objects.requireNonNull(nowPlusMicros, "nowPlusMicros");
        Objects.requireNonNull(microsUntilFormat, "microsUntilFormat");
    }

    /** An SQL expression for the microseconds until a time. */
    public String microsUntil(String time) {
        return String.format(Locale.ROOT, microsUntilFormat, time);
    }
}
