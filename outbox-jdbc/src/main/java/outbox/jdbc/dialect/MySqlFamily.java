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
    default Binding binding() {
        return new Binding() {

            /** Collations may ignore case and accents, and the shipped one ignores spaces at the end. */
            @Override
            public String exactly(String text) {
                return "CAST(CONVERT(" + text + " USING utf8mb4) AS BINARY)";
            }
        };
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
        return new ForcedIndexes();
    }

    /** Statements may name the index that they must use, except those that delete. */
    class ForcedIndexes implements Hints {

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

        /** Left to itself the optimizer reads a small table as a whole. With a limit it does not. */
        @Override
        public String delete(String table, String condition, int events) {
            return Hints.super.delete(table, condition, events) + " LIMIT " + events;
        }
    }

    @Override
    default Failures failures() {
        return MySqlServers.FAILURES;
    }

    @Override
    default Probes probes() {
        return MySqlProbes.INSTANCE;
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
