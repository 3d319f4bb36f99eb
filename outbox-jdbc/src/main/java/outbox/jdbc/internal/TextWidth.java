package outbox.jdbc.internal;

import org.jspecify.annotations.Nullable;
import outbox.internal.text.StoredText;
import outbox.jdbc.TableName;

/**
 * Refuses what would not fit into its column or cannot be stored at all, before the database is asked: PostgreSQL would abort the
 * transaction, and MySQL outside strict mode would silently cut the value, so that two ids became one.
 */
public final class TextWidth {

    private final TableName table;

    /** For the columns of a table. */
    public TextWidth(TableName table) {
        this.table = table;
    }

    /**
     * Requires that a value can be stored as it is.
     *
     * @param name what the value is
     * @param owner of what, for the case that it contains what cannot be stored; empty if the name says it
     */
    public void require(String name, String owner, @Nullable String value, int width) {
        if (value == null) {
            return;
        }
        StoredText.requireStorable(name + owner, value);
        if (!fits(value, width)) {
            throw new IllegalArgumentException(name + " must be at most " + width + " characters to fit table " + table
                    + ", was " + value.codePointCount(0, value.length()) + ": \"" + StoredText.inOneLine(value) + "\"");
        }
    }

    /**
     * Refuses an id that ends in a space, for columns that ignore that: it would be taken for the id without it.
     *
     * @param name what the value is
     */
    public void requireNoSpaceBehind(String name, String value) {
        if (endsInSpace(value)) {
            throw new IllegalArgumentException(name + " must not end in a space: table " + table
                    + " takes texts for the same that differ in nothing but spaces at the end, was \""
                    + StoredText.inOneLine(value) + "\"");
        }
    }

    /** Whether a text ends in what columns that pad texts ignore. */
    public static boolean endsInSpace(String value) {
        return value.endsWith(" ");
    }

    /** Whether a value can be stored as it is. */
    public static boolean canStore(@Nullable String value, int width) {
        return value == null || (fits(value, width) && StoredText.canBeStored(value));
    }

    private static boolean fits(String value, int width) {
        return value.codePointCount(0, value.length()) <= width;
    }
}
