package outbox.config;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code 1m30s} and {@code PT1M30S}. */
final class DurationText {

    private static final Pattern PART = Pattern.compile("([0-9]{1,18}(?:\\.[0-9]{1,18})?)(ns|us|µs|μs|ms|s|m|h)");

    private DurationText() {}

    /** The duration, or null if the text is not a duration. A number without a unit is not one, except zero. */
    static @Nullable Duration parse(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        boolean negative = text.startsWith("-");
        String parts = negative || text.startsWith("+") ? text.substring(1) : text;
        Duration duration = parts.startsWith("P") || parts.startsWith("p") ? iso(parts) : sum(parts);
        return duration != null && negative ? duration.negated() : duration;
    }

    private static @Nullable Duration iso(String text) {
        try {
            return Duration.parse(text);
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    private static @Nullable Duration sum(String text) {
        BigDecimal nanos = BigDecimal.ZERO;
        Matcher part = PART.matcher(text);
        int end = 0;
        while (part.find() && part.start() == end) {
            nanos = nanos.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(nanosIn(part.group(2)))));
            end = part.end();
        }
        return end == 0 || end < text.length() ? null : ofNanos(nanos);
    }

    private static long nanosIn(String unit) {
        return switch (unit) {
            case "ns" -> 1L;
            case "ms" -> 1_000_000L;
            case "s" -> 1_000_000_000L;
            case "m" -> 60_000_000_000L;
            case "h" -> 3_600_000_000_000L;
            default -> 1_000L;
        };
    }

    private static @Nullable Duration ofNanos(BigDecimal nanos) {
        try {
            return Duration.ofNanos(nanos.setScale(0, RoundingMode.DOWN).longValueExact());
        } catch (ArithmeticException e) {
            return null; // centuries
        }
    }
}
