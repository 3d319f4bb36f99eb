package outbox.jdbc;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;

/** The names that may stand in SQL as they are: letters, digits and underscores, not starting with a digit. */
public final class TableNames {

    /** The table that is used when none is named. */
    public static final String DEFAULT_TABLE = "outbox_event";

    /** What every database keeps of a name. PostgreSQL cuts longer ones off without a word, so that two of them become one. */
    static final int LONGEST_DERIVED = 63;

    private static final int HASH_DIGITS = 8;

    private static final Pattern IDENTIFIER = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");

    private TableNames() {}

    /**
     * Returns the name if it is a plain identifier. For a table in another schema see {@link TableName#of(String, String)}.
     *
     * @throws IllegalArgumentException if it is anything else
     */
    public static String validate(String tableName) {
        return requireIdentifier("table name", Objects.requireNonNull(tableName, "tableName"));
    }

    static String requireIdentifier(String what, String name) {
        if (!IDENTIFIER.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "Invalid " + what + " \"" + name + "\": it must match " + IDENTIFIER.pattern());
        }
        return name;
    }

    /**
     * A name made of a table's name, for an index or another table beside it. If it would be too long, the table's name in it is cut off, and
     * digits that depend on the whole of it keep names apart.
     */
    static String derived(String prefix, String table, String suffix) {
        int room = LONGEST_DERIVED - prefix.length() - suffix.length();
        if (table.length() <= room) {
            return prefix + table + suffix;
        }
        // Databases that do not distinguish upper and lower case must find one name for what they take for one table.
        byte[] whole = table.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
        String hash = UUID.nameUUIDFromBytes(whole).toString().substring(0, HASH_DIGITS);
        return prefix + table.substring(0, room - HASH_DIGITS - 1) + "_" + hash + suffix;
    }
}
