package outbox.testservers.catalog;

import java.util.List;
import java.util.Map;

/**
 * How a database is asked.
 *
 * @param count whether the table is there
 * @param describe what is to be known of it; the order of the rows counts
 */
record CatalogQueries(String count, List<String> describe) {

    private static final CatalogQueries POSTGRESQL = queries(
            "SELECT count(*) FROM pg_class WHERE oid = to_regclass('$table')",
            """
            SELECT 'column', attname, format_type(atttypid, atttypmod), attnotnull, attidentity, collname, pg_get_expr(adbin, adrelid)
              FROM pg_attribute
              LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
              LEFT JOIN pg_collation ON pg_collation.oid = attcollation
              WHERE attrelid = '$table'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
            """,
            "SELECT 'index', pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = '$table'::regclass ORDER BY 2",
            """
            SELECT 'constraint', conname, pg_get_constraintdef(oid) FROM pg_constraint
              WHERE conrelid = '$table'::regclass ORDER BY 2
            """,
            """
            SELECT 'trigger', pg_get_triggerdef(oid) FROM pg_trigger
              WHERE tgrelid = '$table'::regclass AND NOT tgisinternal ORDER BY 2
            """,
            "SELECT 'storage', relkind, relpersistence, reloptions FROM pg_class WHERE oid = '$table'::regclass");

    private static final CatalogQueries H2 = queries(
            "SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = CURRENT_SCHEMA AND TABLE_NAME = UPPER('$table')",
            """
            SELECT 'column', COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, DATETIME_PRECISION, IS_NULLABLE, COLUMN_DEFAULT,
                IDENTITY_GENERATION
              FROM INFORMATION_SCHEMA.COLUMNS
              WHERE TABLE_SCHEMA = CURRENT_SCHEMA AND TABLE_NAME = UPPER('$table') ORDER BY ORDINAL_POSITION
            """,
            """
            SELECT 'index', CASE WHEN i.IS_GENERATED THEN 'generated' ELSE i.INDEX_NAME END, i.INDEX_TYPE_NAME,
                LISTAGG(c.COLUMN_NAME, ', ') WITHIN GROUP (ORDER BY c.ORDINAL_POSITION)
              FROM INFORMATION_SCHEMA.INDEXES i JOIN INFORMATION_SCHEMA.INDEX_COLUMNS c USING (INDEX_SCHEMA, INDEX_NAME)
              WHERE i.TABLE_SCHEMA = CURRENT_SCHEMA AND i.TABLE_NAME = UPPER('$table')
              GROUP BY i.INDEX_NAME, i.INDEX_TYPE_NAME, i.IS_GENERATED ORDER BY 2, 4
            """,
            """
            SELECT 'check', CHECK_CLAUSE
              FROM INFORMATION_SCHEMA.CHECK_CONSTRAINTS JOIN INFORMATION_SCHEMA.TABLE_CONSTRAINTS USING (CONSTRAINT_SCHEMA, CONSTRAINT_NAME)
              WHERE TABLE_SCHEMA = CURRENT_SCHEMA AND TABLE_NAME = UPPER('$table') ORDER BY 2
            """);

    private static final CatalogQueries MYSQL = queries(
            "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '$table'",
            "SHOW CREATE TABLE $table");

    private static final CatalogQueries SQLITE = queries(
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = '$table'",
            "PRAGMA table_xinfo($table)",
            "SELECT type, name, sql FROM sqlite_master WHERE tbl_name = '$table' ORDER BY type, name");

    private static final Map<String, CatalogQueries> BY_PRODUCT =
            Map.of("PostgreSQL", POSTGRESQL, "H2", H2, "MySQL", MYSQL, "MariaDB", MYSQL, "SQLite", SQLITE);

    private static CatalogQueries queries(String count, String... describe) {
        return new CatalogQueries(count, List.of(describe));
    }

    /** For a table, by what the driver calls its database. */
    static CatalogQueries of(String productName, String table) {
        CatalogQueries known = BY_PRODUCT.get(productName);
        if (known == null) {
            throw new IllegalArgumentException(
                    "Cannot read the catalog of \"" + productName + "\", only of " + BY_PRODUCT.keySet());
        }
        return new CatalogQueries(
                known.count.replace("$table", table),
                known.describe.stream()
                        .map(query -> query.replace("$table", table))
                        .toList());
    }
}
