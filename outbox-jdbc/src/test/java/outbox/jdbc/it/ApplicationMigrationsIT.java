package outbox.jdbc.it;

import java.sql.Connection;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** An application that counts its own migrations from V1, in the database in which it wants an outbox. */
class ApplicationMigrationsIT {

    private static FluentConfiguration ownHistory(ApplicationDatabase shop) {
        return shop.flyway(shop.versions(), shop.versions() + "-ordered").table("outbox_schema_history");
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql"})
    void flyway_with_a_history_of_its_own_for_the_outbox(String database) throws Exception {
        try (ApplicationDatabase shop = ApplicationDatabase.create(database)) {
            shop.flyway(ApplicationDatabase.MIGRATIONS).load().migrate();

            assertThatThrownBy(() -> ownHistory(shop).load().migrate())
                    .as("the schema is not empty, and the history is new")
                    .isInstanceOf(FlywayException.class)
                    .hasMessageContaining("baselineOnMigrate");
            assertThat(ownHistory(shop).baselineOnMigrate(true).load().migrate().migrationsExecuted)
                    .as("the versions of the outbox and of its index for order")
                    .isEqualTo(shop.newest() + 1);
            assertThat(shop.flyway(ApplicationDatabase.MIGRATIONS, ApplicationDatabase.LATER)
                            .load()
                            .migrate()
                            .migrationsExecuted)
                    .as("of the application, later")
                    .isEqualTo(1);
            assertThat(ownHistory(shop).baselineOnMigrate(true).load().migrate().migrationsExecuted)
                    .as("again")
                    .isZero();

            assertThat(shop.outbox()).isEqualTo(shop.wholeOutbox(database, database + "-ordered"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql"})
    void flyway_with_one_history_for_both(String database) throws Exception {
        try (ApplicationDatabase shop = ApplicationDatabase.create(database)) {
            assertThat(shop.flyway(ApplicationDatabase.MIGRATIONS, shop.versions())
                            .load()
                            .migrate()
                            .migrationsExecuted)
                    .as("the application's own and the versions of the outbox")
                    .isEqualTo(1 + shop.newest());
            FluentConfiguration grown =
                    shop.flyway(ApplicationDatabase.MIGRATIONS, ApplicationDatabase.LATER, shop.versions());
            assertThatThrownBy(() -> grown.load().migrate())
                    .isInstanceOf(FlywayException.class)
                    .hasMessageContaining("58")
                    .hasMessageContaining("outOfOrder");
            assertThat(grown.outOfOrder(true).load().migrate().migrationsExecuted)
                    .isEqualTo(1);

            assertThat(shop.outbox()).isEqualTo(shop.wholeOutbox(database));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql"})
    void flyway_takes_over_a_table_that_was_made_by_the_script(String database) throws Exception {
        try (ApplicationDatabase shop = ApplicationDatabase.create(database)) {
            try (Connection conn = shop.pool.getConnection()) {
                OutboxSchema.create(conn, database, TableName.DEFAULT);
            }
            FluentConfiguration taken = shop.flyway(shop.versions())
                    .table("outbox_schema_history")
                    .baselineOnMigrate(true)
                    .baselineVersion("688269.1.%02d".formatted(shop.newest()));

            assertThat(taken.load().migrate().migrationsExecuted).isZero();
            assertThat(taken.load().info().pending()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "mysql", "mariadb"})
    void liquibase_with_a_changelog_that_includes_the_outbox_s(String database) throws Exception {
        try (ApplicationDatabase shop = ApplicationDatabase.create(database)) {
            shop.liquibase(liquibase -> liquibase.update(""));
            shop.liquibase(liquibase -> liquibase.update(""));
            assertThat(Tables.select(shop.pool, "SELECT COUNT(*) FROM orders")).containsExactly("0");
            assertThat(shop.outbox()).isEqualTo(shop.wholeOutbox(database, database + "-ordered"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "mysql", "mariadb"})
    void liquibase_rolls_the_outbox_s_versions_back(String database) throws Exception {
        try (ApplicationDatabase shop = ApplicationDatabase.create(database)) {
            shop.liquibase(liquibase -> liquibase.update(""));
            shop.liquibase(liquibase -> liquibase.rollback(1 + shop.newest() - 2, ""));
            try (Connection conn = shop.pool.getConnection()) {
                OutboxSchema.migrate(conn, database, TableName.of("older"), 0, 2);
            }
            assertThat(shop.outbox()).isEqualTo(shop.catalog("older"));

            shop.liquibase(liquibase -> liquibase.rollback(2, ""));
            assertThat(shop.outbox()).isEmpty();
        }
    }
}
