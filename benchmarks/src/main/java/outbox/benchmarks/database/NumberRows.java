package outbox.benchmarks.database;

import java.sql.SQLException;
import java.sql.Statement;

/** A table expression whose column {@code n} counts from 1, in the words of each database. */
public final class NumberRows {

    private final DatabaseKind kind;
    private final int count;

    private NumberRows(DatabaseKind kind, int count) {
        this.kind = kind;
        this.count = count;
    }

    /** As many rows as wanted. */
    public static NumberRows of(DatabaseKind kind, int count) {
        return new NumberRows(kind, count);
    }

    /** To be executed on the same connection before {@link #table()} is used. */
    public void prepare(Statement statement) throws SQLException {
        if (kind == DatabaseKind.MYSQL) {
            statement.execute("SET SESSION cte_max_recursion_depth = " + (count + 1));
        }
    }

    /** What goes behind FROM. */
    public String table() {
        return switch (kind) {
            case POSTGRESQL -> "generate_series(1, " + count + ") AS numbers(n)";
            case H2 -> "(SELECT x AS n FROM SYSTEM_RANGE(1, " + count + ")) AS numbers";
            case MARIADB -> "(SELECT seq AS n FROM seq_1_to_" + count + ") AS numbers";
            case MYSQL ->
                "(WITH RECURSIVE counting (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counting WHERE n < " + count
                        + ") SELECT n FROM counting) AS numbers";
        };
    }
}
