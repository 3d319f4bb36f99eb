package outbox.jdbc.it;

import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import liquibase.Liquibase;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.ClassLoaderResourceAccessor;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationVersion;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.jdbc.store.AbstractJdbcOutboxStore;

import static org.assertj.core.api.Assertions.assertThat;

/** The versioned scripts, run by the tools that they are made for. */
class MigrationToolsIT {

    static Stream<TestedDatabase> databases() {
        return Stream.of(TestedDatabase.H2, TestedDatabase.POSTGRESQL);
    }

    private static String nameOf(TestedDatabase database) {
        return database.store(TableName.DEFAULT).name();
    }

    private static void drop(TestedDatabase database, String... tables) {
        for (String table : tables) {
            Tables.execute(database.pool(), "DROP TABLE IF EXISTS " + table + " CASCADE");
        }
    }

    private static EventEnvelope event(String id, int day) {
        return EventEnvelope.builder("Tick")
                .eventId(id)
                .occurredAt(Instant.parse("2026-01-0" + day + "T00:00:00Z"))
                .payloadJson("{}")
                .build();
    }

    /** Rows of the first version, to be found again after the upgrade. */
    private static void insertTwo(TestedDatabase database, String table) throws Exception {
        try (Connection conn = database.pool().getConnection()) {
            database.store(TableName.of(table)).insertBatch(conn, List.of(event("late", 2), event("early", 1)));
        }
    }

    private static void assertComplete(TestedDatabase database, String table) throws Exception {
        TableName name = TableName.of(table);
        AbstractJdbcOutboxStore store = database.store(name);
        try (Connection conn = database.pool().getConnection()) {
            OutboxSchema.create(conn, store.name() + "-ordered", name);
            store.ordered().checkSchema(conn);
            List<WriteReceipt> receipts = store.insertOnce(
                    conn, List.of(event("early", 1), event("late", 2), event("new", 3)), DuplicatePolicy.IGNORE);
            assertThat(receipts)
                    .extracting(receipt -> receipt.sequence().orElseThrow())
                    .isSorted()
                    .doesNotHaveDuplicates();
            assertThat(receipts).extracting(WriteReceipt::alreadyThere).containsExactly(true, true, false);
        }
    }

    private static Flyway flyway(TestedDatabase database, String table, MigrationVersion target) {
        return Flyway.configure()
                .dataSource(database.pool())
                .locations("classpath:outbox-schema/" + nameOf(database))
                .placeholders(Map.of("outbox_schema", "", "outbox_table", table))
                .table(table + "_history")
                .baselineOnMigrate(true)
                .target(target)
                .load();
    }

    @ParameterizedTest
    @MethodSource("databases")
    void flyway_creates_and_upgrades_a_table_for_each_module(TestedDatabase database) throws Exception {
        for (String table : List.of("fly_orders", "fly_billing")) {
            drop(database, table, table + "_node", table + "_pause", "\"" + table + "_history\"");
            flyway(database, table, MigrationVersion.fromVersion("688269.1.1")).migrate();
            insertTwo(database, table);
            flyway(database, table, MigrationVersion.LATEST).migrate();

            assertComplete(database, table);
        }
    }

    private static void liquibase(TestedDatabase database, String table, String script) throws Exception {
        try (Connection conn = database.pool().getConnection();
                Liquibase liquibase = new Liquibase(
                        "outbox-schema/" + nameOf(database) + "/" + script,
                        new ClassLoaderResourceAccessor(),
                        new JdbcConnection(conn))) {
            liquibase.getDatabase().setDatabaseChangeLogTableName(table + "_changelog");
            liquibase.setChangeLogParameter("outbox_schema", "");
            liquibase.setChangeLogParameter("outbox_table", table);
            liquibase.update("");
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void liquibase_creates_and_upgrades_a_table_for_each_module(TestedDatabase database) throws Exception {
        drop(database, "databasechangeloglock");
        for (String table : List.of("liqui_orders", "liqui_billing")) {
            drop(database, table, table + "_node", table + "_pause", table + "_changelog");
            liquibase(database, table, "V688269.1.01__outbox_table.sql");
            insertTwo(database, table);
            liquibase(database, table, "V688269.1.01__outbox_table.sql");
            liquibase(database, table, "V688269.1.02__outbox_sequence_and_nodes.sql");
            liquibase(database, table, "V688269.1.02__outbox_sequence_and_nodes.sql");

            assertComplete(database, table);
        }
    }
}
