package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.OwnIsolation;
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

    /**
     * The form for several tables, because that of one takes no hint. Without it a small table is read as a whole, and the deletion waits
     * for rows that it does not want.
     */
    @Override
    String deletion() {
        return "DELETE event FROM " + table() + " AS event" + primaryKeyHint();
    }

    /** On SERIALIZABLE a mere look locks what it sees, and gaps besides; on READ UNCOMMITTED it sees what is not there yet. */
    @Override
    protected OwnIsolation ownIsolation(int level) {
        return level == Connection.TRANSACTION_SERIALIZABLE || level == Connection.TRANSACTION_READ_UNCOMMITTED
                ? OwnIsolation.ofConnection(Connection.TRANSACTION_REPEATABLE_READ)
                : OwnIsolation.AS_IT_IS;
    }

    @Override
    boolean skipsLocked(DatabaseMetaData database) throws SQLException {
        return SkipLocked.isKnownTo(database);
    }

    /**
     * MySQL's driver keeps the time and kills what takes too long on another connection; MariaDB's puts the limit into the statement, for
     * servers that know it. The servers' own limit for locks is 50 seconds, and only a statement of its own would change it.
     */
    @Override
    protected boolean limitsStatements() {
        return true;
    }

    @Override
    KeyQuery newKeyQuery(TableName table) {
        return KeysByLists.ofMySqlFamily(table);
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
