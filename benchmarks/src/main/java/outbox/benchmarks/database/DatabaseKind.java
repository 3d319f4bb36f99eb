package outbox.benchmarks.database;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The databases that can be measured on. */
public enum DatabaseKind {
    POSTGRESQL,
    MYSQL,
    MARIADB,
    H2;

    /** The name in options and reports, which is also that of the schema script. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The database with this label. */
    public static Optional<DatabaseKind> labelled(String label) {
        return Arrays.stream(values())
                .filter(kind -> kind.label().equals(label))
                .findFirst();
    }
}
