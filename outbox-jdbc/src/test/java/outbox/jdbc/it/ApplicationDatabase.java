package outbox.jdbc.it;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import liquibase.Liquibase;
import liquibase.database.jvm.JdbcConnection;
import liquibase.exception.LiquibaseException;
import liquibase.resource.ClassLoaderResourceAccessor;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;
import outbox.testservers.catalog.TableCatalog;

/** A new, empty database of an application that has migrations of its own, and wants an outbox beside them. */
final class ApplicationDatabase implements AutoCloseable {

    static final String MIGRATIONS = "classpath:shop/migrations";
    static final String LATER = "classpath:shop/later";

    final String name;
    final HikariDataSource pool;
    private final Runnable drop;

    private ApplicationDatabase(String name, String url, String user, String password, Runnable drop) {
        this.name = name;
        this.drop = drop;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(4);
        this.pool = new HikariDataSource(config);
    }

    static ApplicationDatabase create(String name) {
        if (name.equals("h2")) {
            String url = "jdbc:h2:mem:shop" + System.nanoTime() + ";DB_CLOSE_DELAY=-1";
            return new ApplicationDatabase(name, url, "sa", "", () -> {});
        }
        TestDatabase server = switch (name) {
            case "postgresql" -> TestServers.postgresql();
            case "mysql" -> TestServers.mysql();
            default -> TestServers.mariadb();
        };
        TestDatabase fresh = server.fresh("outbox_shop");
        return new ApplicationDatabase(
                name, fresh.jdbcUrl(), fresh.user(), fresh.password(), () -> server.dropDatabase(fresh.name()));
    }

    /** Where the outbox's versions are. */
    String versions() {
        return "classpath:outbox-schema/" + name;
    }

    /** The number of the newest version of the table, by the product's own word. */
    int newest() {
        return OutboxSchema.versions(name).newest();
    }

    FluentConfiguration flyway(String... locations) {
        return Flyway.configure()
                .dataSource(pool)
                .locations(locations)
                .placeholders(Map.of("outbox_schema", "", "outbox_table", "outbox_event"));
    }

    interface LiquibaseWork {
        void on(Liquibase liquibase) throws LiquibaseException;
    }

    void liquibase(LiquibaseWork work) throws SQLException, LiquibaseException {
        try (Connection conn = pool.getConnection();
                Liquibase liquibase = new Liquibase(
                        "shop/changelog/changelog.xml", new ClassLoaderResourceAccessor(), new JdbcConnection(conn))) {
            liquibase.setChangeLogParameter("database", name);
            work.on(liquibase);
        }
    }

    /** What is there of the outbox. */
    List<String> outbox() throws SQLException {
        return catalog("outbox_event");
    }

    /** What the scripts in one piece make of an outbox. */
    List<String> wholeOutbox(String... scripts) throws SQLException {
        try (Connection conn = pool.getConnection()) {
            for (String script : scripts) {
                OutboxSchema.create(conn, script, TableName.of("whole"));
            }
        }
        return catalog("whole");
    }

    List<String> catalog(String table) throws SQLException {
        try (Connection conn = pool.getConnection()) {
            List<String> lines = new ArrayList<>(TableCatalog.of(conn, table));
            lines.addAll(TableCatalog.of(conn, table + "_node"));
            lines.addAll(TableCatalog.of(conn, table + "_pause"));
            return lines;
        }
    }

    @Override
    public void close() {
        pool.close();
        drop.run();
    }
}
