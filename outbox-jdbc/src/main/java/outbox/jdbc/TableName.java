package outbox.jdbc;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A table's name that is safe to stand in SQL, with or without its schema.
 *
 * @param schema the schema (on MySQL and MariaDB the database), or null for the connection's current one
 * @param table the table
 */
public record TableName(@Nullable String schema, String table) {

    /** The table that is used when none is named, in the connection's current schema. */
    public static final TableName DEFAULT = of(TableNames.DEFAULT_TABLE);

    public TableName {
        TableNames.validate(table);
        if (schema != null) {
            TableNames.requireIdentifier("schema name", schema);
        }
    }

    /**
     * A table in the connection's current schema.
     *
     * @throws IllegalArgumentException if the name is not a plain identifier
     */
    public static TableName of(String table) {
        return new TableName(null, table);
    }

    /**
     * A table in a schema of its own.
     *
     * @throws IllegalArgumentException if one of the names is not a plain identifier
     */
    public static TableName of(String schema, String table) {
        return new TableName(Objects.requireNonNull(schema, "schema"), table);
    }

    /**
     * A table beside this one, in the same schema: its name with the suffix. A name that would be longer than every database allows is cut
     * off and made unique again by some digits.
     */
    public TableName beside(String suffix) {
        return new TableName(schema, TableNames.derived("", table, suffix));
    }

    /** The name as it stands in SQL. */
    @Override
    public String toString() {
        return schema == null ? table : schema + "." + table;
    }
}
