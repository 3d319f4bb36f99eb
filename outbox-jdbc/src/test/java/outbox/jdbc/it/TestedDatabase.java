package outbox.jdbc.it;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import outbox.jdbc.TableName;
import outbox.jdbc.purge.H2EventPurger;
import outbox.jdbc.purge.MariaDbEventPurger;
import outbox.jdbc.purge.MySqlEventPurger;
import outbox.jdbc.purge.PostgresEventPurger;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.store.MariaDbOutboxStore;
import outbox.jdbc.store.MySqlOutboxStore;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.spi.EventPurger;
import outbox.testing.contract.StoreFixture;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;
import outbox.util.JsonCodec;

/** The databases that every suite runs on. Each has one database of its own per test run, and a pool that all its suites share. */
final class TestedDatabase {

    static final TestedDatabase H2 = new TestedDatabase(
            () -> new Address("jdbc:h2:mem:suites;DB_CLOSE_DELAY=-1", "sa", ""), H2OutboxStore::on, H2EventPurger::on);
    static final TestedDatabase POSTGRESQL =
            new TestedDatabase(() -> fresh(TestServers.postgresql()), PostgresOutboxStore::on, PostgresEventPurger::on);
    static final TestedDatabase MYSQL =
            new TestedDatabase(() -> fresh(TestServers.mysql()), MySqlOutboxStore::on, MySqlEventPurger::on);
    static final TestedDatabase MARIADB =
            new TestedDatabase(() -> fresh(TestServers.mariadb()), MariaDbOutboxStore::on, MariaDbEventPurger::on);

    /** A MariaDB server, but connected to by MySQL's driver. */
    static final TestedDatabase MARIADB_THROUGH_MYSQL_DRIVER = new TestedDatabase(
            () -> fresh(TestServers.mariadb().withUrlPrefix("jdbc:mysql:")),
            MariaDbOutboxStore::on,
            MariaDbEventPurger::on);

    /** Where a database is. */
    record Address(String url, String user, String password) {}

    private final Supplier<Address> start;
    private final BiFunction<TableName, JsonCodec, AbstractJdbcOutboxStore> store;
    private final Function<TableName, EventPurger> purger;
    private Address database;
    private DataSource pool;
    private StoreFixture shipped;
    private StoreFixture specified;
    private StoreFixture upgraded;

    private TestedDatabase(
            Supplier<Address> start,
            BiFunction<TableName, JsonCodec, AbstractJdbcOutboxStore> store,
            Function<TableName, EventPurger> purger) {
        this.start = start;
        this.store = store;
        this.purger = purger;
    }

    private static Address fresh(TestDatabase server) {
        TestDatabase created = server.fresh("outbox_suites");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> server.dropDatabase(created.name())));
        return new Address(created.jdbcUrl(), created.user(), created.password());
    }

    synchronized Address database() {
        if (database == null) {
            database = start.get();
        }
        return database;
    }

    synchronized DataSource pool() {
        if (pool == null) {
            pool = newPool(12, true);
        }
        return pool;
    }

    HikariDataSource newPool(int size, boolean autoCommit) {
        return newPool(size, config -> config.setAutoCommit(autoCommit));
    }

    HikariDataSource newPool(int size, Consumer<HikariConfig> settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database().url());
        config.setUsername(database().user());
        config.setPassword(database().password());
        config.setMaximumPoolSize(size);
        settings.accept(config);
        return new HikariDataSource(config);
    }

    AbstractJdbcOutboxStore store(TableName table) {
        return store.apply(table, JsonCodec.getDefault());
    }

    EventPurger purger(TableName table) {
        return purger.apply(table);
    }

    /** The table that the shipped script makes; made when first asked for. */
    synchronized StoreFixture shippedTable() {
        if (shipped == null) {
            shipped = Tables.shipped(this, "contract_outbox");
        }
        return shipped;
    }

    /** A table with exactly the specified columns; made when first asked for. */
    synchronized StoreFixture specifiedTable() {
        if (specified == null) {
            specified = Tables.asSpecified(this);
        }
        return specified;
    }

    /** A table with the specified columns and what was added for order; made when first asked for. */
    synchronized StoreFixture upgradedTable() {
        if (upgraded == null) {
            upgraded = Tables.upgraded(this);
        }
        return upgraded;
    }

    /** What a claim that finds something costs. */
    int statementsPerClaim() {
        return this == POSTGRESQL ? 1 : 3;
    }

    /** What a renewal costs: where rows can be passed over but an update does not tell which, they are read first. */
    int statementsPerRenewal() {
        return this == POSTGRESQL || this == H2 ? 1 : 2;
    }

    /** What a write with a receipt costs: where an insert can return something, one statement. */
    int statementsPerReceipt() {
        return this == POSTGRESQL || this == MARIADB || this == MARIADB_THROUGH_MYSQL_DRIVER ? 1 : 2;
    }

    /** The statement that brings the optimizer's statistics up to date. */
    String analyze(String table) {
        if (this == H2) {
            return "ANALYZE";
        }
        return this == POSTGRESQL ? "ANALYZE " + table : "ANALYZE TABLE " + table;
    }

    /** Statements after which the optimizer goes on to believe what is true of a table now, if it may do so for long. */
    String[] keepStatistics(String table) {
        boolean looksByItself = this == POSTGRESQL || this == H2;
        return looksByItself
                ? new String[0]
                : new String[] {"ALTER TABLE " + table + " STATS_AUTO_RECALC = 0", analyze(table)};
    }

    /** The statement that sets the time zone of a session, given as an offset. */
    String setTimeZone(String offset) {
        if (this == POSTGRESQL) {
            return "SET TIME ZONE INTERVAL '" + offset + "' HOUR TO MINUTE";
        }
        return this == H2 ? "SET TIME ZONE '" + offset + "'" : "SET time_zone = '" + offset + "'";
    }

    /** Whether the version that adds numbers goes by the time of creation; otherwise it goes by the id. */
    boolean numbersOldRowsByTime() {
        return this == POSTGRESQL || this == H2;
    }

    String dropIndex(String index, String table) {
        return "DROP INDEX " + index + (this == POSTGRESQL || this == H2 ? "" : " ON " + table);
    }

    String dropPrimaryKey(String table) {
        return "ALTER TABLE " + table + " DROP "
                + (this == POSTGRESQL ? "CONSTRAINT " + table + "_pkey" : "PRIMARY KEY");
    }

    /** What a name stands in whose upper and lower case counts. */
    String quote() {
        return this == POSTGRESQL || this == H2 ? "\"" : "`";
    }

    /** The address without settings that only an administrator may make. */
    String plainUrl() {
        return database().url().replaceAll(";.*", "");
    }

    /** MySQL reads checks and forgets them, before 8.0.16. */
    boolean enforcesChecks() {
        return this != MYSQL || patchOfMySql() >= 16;
    }

    /** Whether the times of an event may be left out: MySQL has no expressions as defaults, before 8.0.13. */
    boolean hasDefaultTimes() {
        return this != MYSQL || patchOfMySql() >= 13;
    }

    private int patchOfMySql() {
        return Integer.parseInt(Tables.select(pool(), "SELECT VERSION()").get(0).split("[.-]", -1)[2]);
    }

    /** Statements that make a user who may connect and nothing else. */
    String[] createUser(String name, String password) {
        if (this == H2) {
            return new String[] {"CREATE USER " + name + " PASSWORD '" + password + "'"};
        }
        if (this == POSTGRESQL) {
            return new String[] {"CREATE ROLE " + name + " LOGIN PASSWORD '" + password + "'"};
        }
        return new String[] {
            "CREATE USER '" + name + "'@'%' IDENTIFIED BY '" + password + "'",
            // Whoever has no right at all in a database cannot connect to it.
            "GRANT CREATE TEMPORARY TABLES ON *.* TO '" + name + "'@'%'"
        };
    }

    /** A user as rights are given to it. */
    String grantee(String user) {
        return this == POSTGRESQL || this == H2 ? user : "'" + user + "'@'%'";
    }

    /** Statements that make a column compare texts without regard to case. */
    String[] ignoreCase(String table, String column, int width, boolean nullable) {
        String alter = "ALTER TABLE " + table;
        if (this == H2) {
            return new String[] {alter + " ALTER COLUMN " + column + " SET DATA TYPE VARCHAR_IGNORECASE(" + width + ")"
            };
        }
        if (this == POSTGRESQL) {
            return new String[] {
                "CREATE COLLATION IF NOT EXISTS no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
                alter + " ALTER COLUMN " + column + " TYPE VARCHAR(" + width + ") COLLATE no_case"
            };
        }
        return new String[] {
            alter + " MODIFY " + column + " VARCHAR(" + width + ") CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
                    + (nullable ? "" : " NOT NULL")
        };
    }

    String[] dropUser(String name) {
        return new String[] {
            this == H2 ? "DROP USER " + name : this == POSTGRESQL ? "DROP ROLE " + name : "DROP USER '" + name + "'@'%'"
        };
    }

    /** Whether the shipped tables pad texts with spaces before they compare them. */
    boolean ignoresSpacesBehind() {
        return this == MYSQL || this == MARIADB || this == MARIADB_THROUGH_MYSQL_DRIVER;
    }

    /** Whether a transaction is told the same time again and again. */
    boolean timeStandsStillInTransaction() {
        return this == H2;
    }

    /** The specification's types, in the words of this database; PostgreSQL's users often take JSONB. */
    String inDialect(String sql) {
        if (this == POSTGRESQL) {
            return sql.replace("DATETIME", "TIMESTAMP").replace("JSON", "JSONB").replace("TINYINT", "SMALLINT");
        }
        return this == H2 ? sql.replace("DATETIME", "TIMESTAMP") : sql;
    }

    /** Whether the type JSON keeps its text; on MariaDB it is another name for text. */
    boolean jsonKeepsText() {
        return this == MARIADB;
    }
}
