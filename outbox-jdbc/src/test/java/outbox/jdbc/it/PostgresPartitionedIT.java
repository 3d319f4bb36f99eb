package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.SchemaVersions;
import outbox.jdbc.TableName;
import outbox.jdbc.purge.PostgresPartitionPurger;
import outbox.testing.contract.JdbcStoreFixture;
import outbox.testing.contract.OrderedStoreContract;
import outbox.testing.contract.OutboxStoreContract;
import outbox.testing.contract.StoreFixture;
import outbox.testservers.catalog.TableCatalog;

import static org.assertj.core.api.Assertions.assertThat;

/** The contracts on a table in partitions. Their ids are no ULIDs, so there are partitions for these as well. */
class PostgresPartitionedIT {

    private static final TableName TABLE = TableName.of("partitioned_contract");
    private static StoreFixture fixture;

    static synchronized StoreFixture table() {
        if (fixture == null) {
            TestedDatabase database = TestedDatabase.POSTGRESQL;
            Tables.createPartitioned(database, TABLE);
            String[] bounds = {"a", "a2", "b2", "e1", "e2", "e3", "e5"};
            for (int i = 1; i < bounds.length; i++) {
                Tables.execute(
                        database.pool(),
                        "CREATE TABLE %1$s_%2$s PARTITION OF %1$s FOR VALUES FROM ('%2$s') TO ('%3$s')"
                                .formatted(TABLE, bounds[i - 1], bounds[i]));
            }
            fixture = new JdbcStoreFixture(
                    database.pool(),
                    TABLE.toString(),
                    database.store(TABLE),
                    PostgresPartitionPurger.builder().table(TABLE).build());
        }
        return fixture;
    }

    @Nested
    class Contract extends OutboxStoreContract {
        @Override
        public StoreFixture fixture() {
            return table();
        }
    }

    @Nested
    class Order extends OrderedStoreContract {
        @Override
        public StoreFixture fixture() {
            return table();
        }
    }

    /** The third version must fit a table in partitions too. */
    @Test
    void default_times_and_the_index_on_numbers_can_be_taken_away_and_added_again() throws SQLException {
        TableName table = TableName.of("partitioned_versions");
        TestedDatabase database = TestedDatabase.POSTGRESQL;
        Tables.createPartitioned(database, table);
        SchemaVersions versions = OutboxSchema.versions("postgresql");
        try (Connection conn = database.pool().getConnection()) {
            List<String> shipped = TableCatalog.of(conn, table.table());

            versions.migrateDown(conn, table, 3, 2);
            assertThat(TableCatalog.of(conn, table.table())).isNotEqualTo(shipped);
            versions.migrate(conn, table, 2, 3);

            assertThat(TableCatalog.of(conn, table.table())).isEqualTo(shipped);
        }
    }
}
