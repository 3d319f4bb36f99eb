package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxException;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A table that is created when it is needed, and by whoever comes first. */
@Timeout(120)
abstract class CreateTableSuite {

    private static final TableName TABLE = TableName.of("created_outbox");
    private static final TableName NODES = TableName.of("created_outbox_node");
    private static final TableName PAUSES = TableName.of("created_outbox_pause");
    private static final String USER = "outbox_guest";
    private static final String PASSWORD = "Guest_1234";
    private static final int ROUNDS = 15;

    abstract TestedDatabase database();

    @BeforeEach
    @AfterEach
    void dropTables() {
        Tables.drop(database().pool(), TABLE);
        Tables.drop(database().pool(), NODES);
        Tables.drop(database().pool(), PAUSES);
    }

    private static OutboxBuilder builder(DataSource dataSource) {
        return JdbcOutbox.builder(dataSource, TABLE).createTable().defaultListener(event -> {});
    }

    private static void buildAndStart(OutboxBuilder builder) {
        try (Outbox outbox = builder.build()) {
            outbox.start();
            outbox.inTransaction(tx -> {
                outbox.write("OrderPlaced", "42", "{}");
            });
        }
    }

    @Test
    void of_two_that_create_it_at_once_both_find_it_complete() throws Exception {
        createsAtOnce(database().pool());
    }

    @Test
    void the_same_with_connections_that_do_not_commit_by_themselves() throws Exception {
        try (HikariDataSource pool = database().newPool(6, false)) {
            createsAtOnce(pool);
        }
    }

    private void createsAtOnce(DataSource dataSource) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        CyclicBarrier together = new CyclicBarrier(2);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                List<Future<?>> builders = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    builders.add(threads.submit(() -> {
                        OutboxBuilder builder = builder(dataSource).ordered();
                        together.await();
                        builder.build().close();
                        return true;
                    }));
                }
                for (Future<?> builder : builders) {
                    builder.get();
                }
                buildAndStart(JdbcOutbox.builder(dataSource, TABLE).ordered().defaultListener(event -> {}));
                dropTables();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void what_is_there_is_left_as_it_is() {
        buildAndStart(builder(database().pool()).ordered());
        buildAndStart(builder(database().pool()).ordered());
        buildAndStart(builder(database().pool()));

        assertThat(Tables.select(database().pool(), "SELECT event_id FROM " + TABLE))
                .hasSize(3);
    }

    @Test
    void what_a_process_that_ended_on_the_way_has_not_created_is_created_by_the_next() {
        buildAndStart(builder(database().pool()));
        for (TableName lost : List.of(NODES, PAUSES)) {
            Tables.drop(database().pool(), lost);

            buildAndStart(builder(database().pool()).ordered());

            assertThat(Tables.select(database().pool(), "SELECT COUNT(*) FROM " + lost))
                    .hasSize(1);
        }
    }

    @Test
    void who_may_use_the_table_need_not_be_allowed_to_create_one() {
        buildAndStart(builder(database().pool()).ordered());
        try (HikariDataSource pool = guest("GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %s", TABLE, NODES)) {
            buildAndStart(builder(pool).ordered());

            Tables.drop(database().pool(), NODES);
            buildAndStart(builder(pool).ordered()); // the list of nodes is all that is missing
        } finally {
            dropUser();
        }
        assertThat(Tables.select(database().pool(), "SELECT event_id FROM " + TABLE))
                .hasSize(3);
    }

    @Test
    void who_may_not_create_the_table_that_is_missing_is_told_so() {
        try (HikariDataSource pool = guest("")) {
            assertThatThrownBy(() -> builder(pool).build())
                    .isInstanceOf(OutboxException.class)
                    .hasMessageStartingWith("Cannot create table " + TABLE);
        } finally {
            dropUser();
        }
    }

    @Test
    void who_may_only_write_finds_the_table_that_it_may_not_read() {
        buildAndStart(builder(database().pool()));
        try (HikariDataSource pool = guest("GRANT INSERT ON %s TO %s", TABLE)) {
            try (Outbox outbox =
                    JdbcOutbox.builder(pool, TABLE).createTable().writerOnly().build()) {
                outbox.inTransaction(tx -> {
                    outbox.write("OrderPlaced", "42", "{}");
                });
            }
        } finally {
            dropUser();
        }
        assertThat(Tables.select(database().pool(), "SELECT event_id FROM " + TABLE))
                .hasSize(2);
    }

    private HikariDataSource guest(String grant, TableName... tables) {
        Tables.execute(database().pool(), database().createUser(USER, PASSWORD));
        if (database() == TestedDatabase.POSTGRESQL) {
            Tables.execute(database().pool(), "REVOKE CREATE ON SCHEMA public FROM PUBLIC");
        }
        for (TableName table : tables) {
            Tables.execute(database().pool(), grant.formatted(table, database().grantee(USER)));
        }
        return database().newPool(6, settings -> {
            settings.setJdbcUrl(database().plainUrl());
            settings.setUsername(USER);
            settings.setPassword(PASSWORD);
        });
    }

    private void dropUser() {
        if (database() == TestedDatabase.POSTGRESQL) {
            Tables.execute(database().pool(), "DROP OWNED BY " + USER);
        }
        Tables.execute(database().pool(), database().dropUser(USER));
    }
}
