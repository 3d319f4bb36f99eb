package outbox.jdbc.store;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.TableName;
import outbox.jdbc.internal.SkipLocked;
import outbox.util.JsonCodec;

/** What MySQL and MariaDB have in common, including that each one's driver connects to the other's server. */
abstract class MySqlFamilyOutboxStore extends AbstractJdbcOutboxStore {

    private static final List<String> FAMILY = List.of("mysql", "mariadb", "tidb");

    MySqlFamilyOutboxStore(TableName table, JsonCodec codec) {
        super(table, codec, DatabaseTime.MYSQL_FAMILY);
    }

    /**
     * Left to itself the optimizer may find the rows through the index on status, and under REPEATABLE READ lock its gaps: then
     * business transactions that insert events would wait for claims, or deadlock with them.
     */
    @Override
    protected String primaryKeyHint() {
        return " FORCE INDEX (PRIMARY)";
    }

    @Override
    boolean skipsLocked(DatabaseMetaData database) throws SQLException {
        return SkipLocked.isKnownTo(database);
    }

    /** Under REPEATABLE READ a plain read sees the past. Shared: who was refused an insert holds that lock on the row already. */
    @Override
    String currentReadClause() {
        return " LOCK IN SHARE MODE";
    }

    static boolean isOfFamily(DatabaseMetaData database) throws SQLException {
        String product = lower(database.getDatabaseProductName());
        String url = lower(database.getURL());
        return FAMILY.stream().anyMatch(name -> product.equals(name) || url.startsWith("jdbc:" + name + ":"));
    }

    /** MySQL's driver reports the product MySQL whatever it is connected to; the version tells. */
    static boolean isMariaDb(DatabaseMetaData database) throws SQLException {
        return lower(database.getDatabaseProductName()).contains("mariadb")
                || lower(database.getDatabaseProductVersion()).contains("mariadb");
    }

    private static String lower(@Nullable String text) {
        return text == null ? "" : text.toLowerCase(Locale.ROOT);
    }
}
