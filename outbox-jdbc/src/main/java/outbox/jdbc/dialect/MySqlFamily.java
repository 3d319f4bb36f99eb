package outbox.jdbc.dialect;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import javax.sql.DataSource;
import outbox.jdbc.OwnIsolation;
import outbox.jdbc.TableName;
import outbox.spi.RelayLock;

/** What MySQL, TiDB and MariaDB have in common. */
interface MySqlFamily extends Dialect {

    /** For columns without a time zone, which is all that they have. */
    @Override
    default DatabaseTime time(TableName table) {
        return new DatabaseTime(
                "UTC_TIMESTAMP(6)",
                "(UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)",
                "LEAST(CAST(? AS DATETIME(6)), UTC_TIMESTAMP(6))");
    }

    @Override
    default RecordTime recordTime() {
        return new RecordTime(
                "UTC_TIMESTAMP(6)",
                "(UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)",
                "TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), %s)");
    }

    @Override
    default Locking locking() {
        return new Locking() {
            @Override
            public boolean knowsSkipLocked(DatabaseMetaData database) throws SQLException {
                return MySqlServers.knowsSkipLocked(database);
            }

            /** Under REPEATABLE READ a plain read sees the past. Shared: who was refused an insert holds that lock on the row already. */
            @Override
            public String currentRead() {
                return " LOCK IN SHARE MODE";
            }

            /**
             * MySQL's driver keeps the time and kills what takes too long on another connection; MariaDB's puts the limit into the statement,
             * for servers that know it. The servers' own limit for locks is 50 seconds, and only a statement of its own would change it.
             */
            @Override
            public boolean limitsStatements() {
                return true;
            }
        };
    }

    @Override
    default Hints hints() {
        return new Hints() {

            /**
             * Left to itself the optimizer may find the rows through the index on status, or read a small table as a whole, and under
             * REPEATABLE READ lock its gaps: then business transactions that insert events would wait for claims, or deadlock with them.
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
    }

    @Override
    default Failures failures() {
        return MySqlServers.FAILURES;
    }

    /** On SERIALIZABLE a mere look locks what it sees, and gaps besides; on READ UNCOMMITTED it sees what is not there yet. */
    @Override
    default OwnIsolation ownIsolation(int level) {
        return level == Connection.TRANSACTION_SERIALIZABLE || level == Connection.TRANSACTION_READ_UNCOMMITTED
                ? OwnIsolation.ofConnection(Connection.TRANSACTION_REPEATABLE_READ)
                : OwnIsolation.AS_IT_IS;
    }

    @Override
    default RelayLock relayLock(DataSource dataSource, TableName table) {
        return new MySqlRelayLock(dataSource, table);
    }
}
