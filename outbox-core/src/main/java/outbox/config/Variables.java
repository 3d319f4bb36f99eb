package outbox.config;

import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads typed values from variables, and remembers which variables exist. */
final class Variables {

    private static final Pattern OURS = Pattern.compile("OUTBOX_(RELAY|CLEANER)_.*");

    /** Kubernetes sets such variables in every container, for each service of the namespace. */
    private static final Pattern SERVICE_LINK =
            Pattern.compile("OUTBOX_(RELAY|CLEANER)_(SERVICE_(HOST|PORT.*)|PORT|PORT_[0-9]+_(TCP|UDP|SCTP).*)");

    private final Map<String, String> values;
    private final TreeSet<String> known = new TreeSet<>();

    Variables(Map<String, String> values) {
        this.values = Map.copyOf(values);
    }

    boolean flag(String name, boolean otherwise) {
        String value = value(name);
        if (value == null) {
            return otherwise;
        }
        if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
            throw refused(name, "must be true or false", value);
        }
        return value.equalsIgnoreCase("true");
    }

    int count(String name, int otherwise) {
        String value = value(name);
        if (value == null) {
            return otherwise;
        }
        try {
            int count = Integer.parseInt(value);
            if (count >= 1) {
                return count;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw refused(name, "must be a whole number from 1 to " + Integer.MAX_VALUE, value);
    }

    Duration duration(String name, Duration otherwise, Duration minimum) {
        String value = value(name);
        if (value == null) {
            return otherwise;
        }
        Duration duration = DurationText.parse(value);
        if (duration == null) {
            throw refused(name, "must be a duration such as 500ms, 1m30s, 168h or PT1M30S", value);
        }
        if (duration.compareTo(minimum) < 0) {
            throw refused(name, minimum.isZero() ? "must not be negative" : "must be at least 1ms", value);
        }
        return duration;
    }

    /** Refuses variables that look like ours but were never read. */
    void refuseUnknown() {
        for (String name : new TreeSet<>(values.keySet())) {
            if (OURS.matcher(name).matches()
                    && !known.contains(name)
                    && !SERVICE_LINK.matcher(name).matches()) {
                throw new IllegalArgumentException("Environment variable " + name + " is unknown; the known ones are "
                        + known + ": correct or remove it");
            }
        }
    }

    private @Nullable String value(String name) {
        known.add(name);
        String value = values.get(name);
        return value == null || value.isBlank() ? null : value.strip();
    }

    private static IllegalArgumentException refused(String name, String rule, String value) {
        return new IllegalArgumentException("Environment variable " + name + " " + rule + ", was \"" + value
                + "\": correct it, or remove it to use the default");
    }
}
