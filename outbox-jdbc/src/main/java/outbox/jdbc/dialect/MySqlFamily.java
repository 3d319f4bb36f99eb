package outbox.jdbc.dialect;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.OwnIsolation;

/** The parts that MySQL, TiDB and MariaDB have in common. Each one's driver connects to the other's server. */
final class MySqlFamily {

    /** For columns without a time zone, which is all that they have. */
    static final DatabaseTime TIME =
            new DatabaseTime("UTC_TIMESTAMP(6)", "(UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)");

    static final RecordTime RECORD_TIME =
            new RecordTime(TIME.now(), TIME.nowPlusMicros(), "TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), %s)");

    /** By codes: MySQL's driver reports a timeout with the state of a deadlock. */
    static final Failures FAILURES = Failures.STANDARD
            .codes(Failure.DUPLICATE, 1062)
            .codes(Failure.DEADLOCK, 1213)
            .codes(Failure.SERIALIZATION, 1020)
            .codes(Failure.LOCK_TIMEOUT, 1205, 3572)
            .codes(Failure.READ_ONLY, 1290, 1836, 1792)
            .codes(Failure.NOT_JSON, 3140)
            .codes(Failure.CHECK, 3819, 4025)
            .codes(Failure.MISSING, 1146, 1049)
            .codes(Failure.DENIED, 1142, 1143, 1044);

    static final Hints HINTS = new Hints() {

        /**
         * Left to itself the optimizer may find the rows through the index on status, or read a small table as a whole, and under REPEATABLE
         * READ lock its gaps: then business transactions that insert events would wait for claims, or deadlock with them.
         */
        @Override
        public String primaryKey() {
            return " FORCE INDEX (PRIMARY)";
        }

        @Override
        public String index(String name) {
            return " FORCE INDEX (`" + name.replace("`", "``") + "`)";
        }

        @Override
        public boolean namesIndexes() {
            return true;
        }

        /**
         * The form for several tables, because that of one takes no hint. Without it a small table is read as a whole, and the deletion
         * waits for rows that it does not want.
         */
        @Override
        public String deleteFrom(String table) {
            return "DELETE event FROM " + table + " AS event" + primaryKey();
        }

        /** One that is to delete less than there is goes through an index, and so does not stumble over rows that others hold. */
        @Override
        public String deleteEnd(int rows) {
            return " LIMIT " + rows;
        }
    };

    static final Locking LOCKING = new Locking() {
        @Override
        public boolean knowsSkipLocked(DatabaseMetaData database) throws SQLException {
            return SkipLocked.isKnownTo(database);
        }

        /** Under REPEATABLE READ a plain read sees the past. Shared: who was refused an insert holds that lock on the row already. */
        @Override
        public String currentRead() {
            return " LOCK IN SHARE MODE";
        }

        /**
         * MySQL's driver keeps the time and kills what takes too long on another connection; MariaDB's puts the limit into the statement, for
         * servers that know it. The servers' own limit for locks is 50 seconds, and only a statement of its own would change it.
         */
        @Override
        public boolean limitsStatements() {
            return true;
        }
    };

    private static final List<String> NAMES = List.of("mysql", "mariadb", "tidb");

    private MySqlFamily() {}

    /** On SERIALIZABLE a mere look locks what it sees, and gaps besides; on READ UNCOMMITTED it sees what is not there yet. */
    static OwnIsolation ownIsolation(int level) {
        return level == Connection.TRANSACTION_SERIALIZABLE || level == Connection.TRANSACTION_READ_UNCOMMITTED
                ? OwnIsolation.ofConnection(Connection.TRANSACTION_REPEATABLE_READ)
                : OwnIsolation.AS_IT_IS;
    }

    static boolean has(DatabaseMetaData database) throws SQLException {
        String product = lower(database.getDatabaseProductName());
        String url = lower(database.getURL());
        return NAMES.stream().anyMatch(name -> product.equals(name) || url.startsWith("jdbc:" + name + ":"));
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
