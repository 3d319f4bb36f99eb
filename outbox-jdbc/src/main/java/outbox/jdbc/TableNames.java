package outbox.jdbc;

import java.util.Objects;
import java.util.regex.Pattern;

/** The names that may stand in SQL as they are: letters, digits and underscores, not starting with a digit. */
public final class TableNames {

    /** The table that is used when none is named. */
    public static final String DEFAULT_TABLE = "outbox_event";

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
}
