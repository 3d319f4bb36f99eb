package outbox.jdbc.it;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxException;
import outbox.dispatch.CompletionMode;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.TableName;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.PreflightFinding;
import outbox.model.PreflightReport;
import outbox.spi.ConnectionProvider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a start finds out about its environment before it does anything. */
@Timeout(60)
abstract class PreflightSuite {

    private static final TableName TABLE = TableName.of("preflight_outbox");
    private static final String PASSWORD = "Preflight-1-Password";

    private final ThreadLocalTxContext context = new ThreadLocalTxContext();

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        Tables.drop(database().pool(), TABLE.beside("_node"));
        Tables.drop(database().pool(), TABLE.beside("_pause"));
        Tables.shipped(database(), TABLE.table());
    }

    private OutboxBuilder builder(DataSource dataSource) {
        return builder(new DataSourceConnectionProvider(dataSource));
    }

    private OutboxBuilder builder(ConnectionProvider connections) {
        AbstractJdbcOutboxStore store = database().store(TABLE);
        return Outbox.builder(store, connections, context)
                .purger(store.purger())
                .listener("Person", "Hired", event -> {});
    }

    private static Set<String> checksOf(List<PreflightFinding> findings) {
        return findings.stream().map(PreflightFinding::check).collect(Collectors.toSet());
    }

    @Test
    void a_shipped_table_passes_and_nothing_is_left_of_what_was_tried() {
        for (OutboxBuilder builder : List.of(
                builder(database().pool()),
                builder(database().pool()).claimLocking(Duration.ofMinutes(1)),
                builder(database().pool()).ordered(),
                builder(database().pool()).dispatcher(settings -> settings.completionMode(CompletionMode.DELETE)),
                builder(database().pool()).writerOnly())) {
            try (Outbox outbox = builder.build()) {
                assertThat(outbox.preflight()).isEqualTo(PreflightReport.CLEAN);
            }
        }
        assertThat(Tables.select(database().pool(), "SELECT event_id FROM " + TABLE))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void it_takes_at_most_twenty_statements_on_one_connection_and_gives_it_back_as_it_was(boolean autoCommit)
            throws SQLException {
        AtomicInteger statements = new AtomicInteger();
        try (OneConnection only = new OneConnection(database())) {
            only.physical.setAutoCommit(autoCommit);
            int level = only.physical.getTransactionIsolation();
            DataSource others = database().pool();
            Thread here = Thread.currentThread();
            // The threads of the outbox have connections of their own.
            ConnectionProvider connections = () -> Thread.currentThread() == here
                    ? CountedRoundTrips.of(only.pool().getConnection(), statements)
                    : others.getConnection();
            try (Outbox outbox = builder(connections).ordered().build()) {
                assertThat(outbox.preflight()).isEqualTo(PreflightReport.CLEAN);
            }
            assertThat(only.physical.getAutoCommit()).isEqualTo(autoCommit);
            assertThat(only.physical.getTransactionIsolation()).isEqualTo(level);
            assertThat(only.isBorrowed()).isFalse();
        }
        assertThat(statements.get()).isBetween(8, 20);
    }

    @Test
    void a_user_without_update_does_not_start_and_its_node_is_not_left_in_the_register() throws SQLException {
        withUser("INSERT, SELECT, DELETE", "INSERT, SELECT, UPDATE, DELETE", pool -> {
            try (Outbox outbox =
                    builder(pool).claimLocking(Duration.ofMinutes(1)).build()) {
                assertThatThrownBy(outbox::start)
                        .isInstanceOf(OutboxException.class)
                        .hasMessageContaining("[rights] Table \"preflight_outbox\"")
                        .hasMessageContaining("lacks UPDATE,")
                        .hasMessageContaining("GRANT UPDATE ON preflight_outbox");
                assertThat(Tables.select(database().pool(), "SELECT owner_id FROM " + TABLE.beside("_node")))
                        .isEmpty();
            }
        });
    }

    @Test
    void all_missing_rights_are_named_at_once() throws SQLException {
        withUser("SELECT", "SELECT", pool -> {
            try (Outbox outbox =
                    builder(pool).claimLocking(Duration.ofMinutes(1)).build()) {
                PreflightReport report = outbox.preflight();
                assertThat(checksOf(report.refusals())).containsExactly("rights");
                assertThat(report.refusals().get(0).message()).contains("lacks INSERT, UPDATE, DELETE,");
                assertThat(report.warnings())
                        .anyMatch(finding -> finding.message().contains("preflight_outbox_node"))
                        .anyMatch(finding -> finding.message().contains("preflight_outbox_pause"));
            }
        });
    }

    /** It heeds no pause that is meant for all processes, and the log says nothing of it before somebody pauses. */
    @Test
    void who_may_not_read_what_is_paused_is_told_so_before_anything_is() throws SQLException {
        String all = "SELECT, INSERT, UPDATE, DELETE";
        withUser(all, all, pool -> {
            try (Outbox outbox = builder(pool).build();
                    Outbox writer = builder(pool).writerOnly().build()) {
                assertThat(outbox.preflight().findings()).singleElement().satisfies(finding -> {
                    assertThat(finding.refuses()).isFalse();
                    assertThat(finding.toString())
                            .startsWith("[rights] Table \"preflight_outbox_pause\"")
                            .contains(
                                    "GRANT SELECT (and INSERT, UPDATE, DELETE where somebody pauses) ON preflight_outbox_pause");
                });
                assertThat(writer.preflight()).isEqualTo(PreflightReport.CLEAN);
            }
        });
    }

    @Test
    void without_a_table_of_pauses_there_is_nothing_to_warn_of() {
        Tables.drop(database().pool(), TABLE.beside("_pause"));
        try (Outbox outbox = builder(database().pool()).build()) {
            assertThat(outbox.preflight()).isEqualTo(PreflightReport.CLEAN);
        }
    }

    @Test
    void who_only_writes_needs_no_more_than_insert_and_who_does_not_delete_no_delete() throws SQLException {
        withUser("INSERT", null, pool -> {
            try (Outbox outbox = builder(pool).writerOnly().build()) {
                outbox.start();
                PreflightReport report = outbox.preflight();
                assertThat(report.passed()).isTrue();
                // On H2 whoever may insert may not read either, but is not told so for a table of constants.
                assertThat(checksOf(report.warnings())).isSubsetOf("rights");
            }
        });
        withUser("INSERT, SELECT, UPDATE", null, pool -> {
            try (Outbox outbox = builder(pool).withoutPurge().build()) {
                assertThat(outbox.preflight().refusals()).isEmpty();
            }
            try (Outbox outbox = builder(pool).build()) {
                assertThat(checksOf(outbox.preflight().refusals())).containsExactly("rights");
            }
            try (Outbox outbox = builder(pool)
                    .withoutPurge()
                    .dispatcher(settings -> settings.completionMode(CompletionMode.DELETE))
                    .build()) {
                assertThat(checksOf(outbox.preflight().refusals())).containsExactly("rights");
            }
        });
    }

    private interface Work {
        void with(DataSource pool) throws SQLException;
    }

    private void withUser(String rights, String rightsOnNodes, Work work) throws SQLException {
        String user = "preflight_user";
        Tables.execute(database().pool(), database().createUser(user, PASSWORD));
        String grantee = database().grantee(user);
        try {
            Tables.execute(database().pool(), "GRANT " + rights + " ON " + TABLE + " TO " + grantee);
            if (rightsOnNodes != null) {
                Tables.execute(
                        database().pool(),
                        "GRANT " + rightsOnNodes + " ON " + TABLE.beside("_node") + " TO " + grantee);
            }
            try (HikariDataSource pool = database().newPool(6, config -> asUser(config, user))) {
                work.with(pool);
            }
        } finally {
            Tables.drop(database().pool(), TABLE);
            Tables.drop(database().pool(), TABLE.beside("_node"));
            Tables.drop(database().pool(), TABLE.beside("_pause"));
            Tables.execute(database().pool(), database().dropUser(user));
            createTable();
        }
    }

    private void asUser(HikariConfig config, String user) {
        config.setJdbcUrl(database().plainUrl());
        config.setUsername(user);
        config.setPassword(PASSWORD);
    }

    @Test
    void a_table_that_is_missing_stops_also_who_only_writes() {
        AbstractJdbcOutboxStore store = database().store(TableName.of("nowhere_outbox"));
        try (Outbox outbox = Outbox.builder(
                        store, new DataSourceConnectionProvider(database().pool()), context)
                .writerOnly()
                .build()) {
            assertThatThrownBy(outbox::start)
                    .isInstanceOf(OutboxException.class)
                    .hasMessageContaining(
                            "[schema] Table \"nowhere_outbox\" is missing: apply schema/" + store.name() + ".sql");
        }
    }

    @Test
    void columns_of_the_wrong_type_are_named_with_the_type_that_they_have() {
        Tables.drop(database().pool(), TABLE);
        Tables.execute(
                database().pool(),
                Tables.specified(database(), TABLE.table())
                        .replaceAll("locked_at \\w+\\(6\\)", "locked_at BIGINT")
                        .replace("attempts INT DEFAULT 0", "attempts VARCHAR(10) DEFAULT '0'"));
        try (Outbox outbox = builder(database().pool()).build()) {
            assertThatThrownBy(outbox::start)
                    .isInstanceOf(OutboxException.class)
                    .hasMessageContaining("column \"attempts\" must be a whole number, is ")
                    .hasMessageContaining("column \"locked_at\" must be a timestamp, is ");
        }
    }

    @Test
    void a_store_of_another_database_is_told_so() {
        AbstractJdbcOutboxStore wrong = JdbcOutboxStores.all().stream()
                .filter(store -> !store.name().equals(database().store(TABLE).name()))
                .filter(store -> Set.of("h2", "postgresql").contains(store.name()))
                .findFirst()
                .orElseThrow();
        try (Outbox outbox = Outbox.builder(
                        wrong, new DataSourceConnectionProvider(database().pool()), context)
                .listener("Hired", event -> {})
                .build()) {
            assertThatThrownBy(outbox::start)
                    .isInstanceOf(OutboxException.class)
                    .hasMessageContaining("has found 1 problem ")
                    .hasMessageContaining(
                            "[database] The store \"" + wrong.name() + "\" is not meant for the database");
        }
    }

    @Test
    void ids_and_keys_that_the_database_takes_for_one_another_refuse_the_start() {
        Tables.execute(database().pool(), database().ignoreCase(TABLE.table(), "event_id", 36, false));
        Tables.execute(database().pool(), database().ignoreCase(TABLE.table(), "aggregate_id", 128, true));
        try (Outbox outbox = builder(database().pool()).build();
                Outbox ordered = builder(database().pool()).ordered().build()) {
            assertThat(outbox.preflight().refusals())
                    .singleElement()
                    .matches(finding -> finding.check().equals("collation")
                            && finding.message().contains("\"event_id\"")
                            && finding.message().contains("upper and lower case"));
            assertThat(ordered.preflight().refusals())
                    .hasSize(2)
                    .allMatch(finding -> finding.check().equals("collation"));
            assertThatThrownBy(ordered::start).hasMessageContaining("has found 2 problems");
        }
    }

    @Test
    void a_missing_index_and_a_clock_that_is_wrong_are_warnings_and_can_be_left_out() throws Exception {
        Tables.execute(database().pool(), database().dropIndex("idx_" + TABLE + "_due", TABLE.table()));
        Clock wrong = Clock.offset(Clock.systemUTC(), Duration.ofMinutes(10));
        CountDownLatch delivered = new CountDownLatch(1);
        try (LibraryLog log = new LibraryLog();
                Outbox outbox = builder(database().pool())
                        .poller(settings -> settings.clock(wrong))
                        .listener("Person", "Left", event -> delivered.countDown())
                        .build();
                Outbox careless = builder(database().pool())
                        .skipPreflight("clock", "schema")
                        .poller(settings -> settings.clock(wrong))
                        .build()) {
            outbox.start();
            assertThat(checksOf(outbox.preflight().warnings())).containsExactlyInAnyOrder("schema", "clock");
            assertThat(log.entries().stream()
                            .filter(line -> line.startsWith("Preflight of outbox preflight_outbox: [")))
                    .hasSize(2);
            assertThat(careless.preflight()).isEqualTo(PreflightReport.CLEAN);
            JdbcTransactionManager transactions = new JdbcTransactionManager(
                    new DataSourceConnectionProvider(database().pool()), context);
            try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
                outbox.writer()
                        .write(EventEnvelope.builder("Left")
                                .aggregateType("Person")
                                .payloadJson("{}")
                                .build());
                tx.commit();
            }
            assertThat(delivered.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void a_table_that_lets_an_id_come_twice_refuses_the_start_also_of_who_only_writes() {
        Tables.execute(database().pool(), database().dropPrimaryKey(TABLE.table()));
        try (Outbox outbox = builder(database().pool()).build();
                Outbox writer = builder(database().pool()).writerOnly().build()) {
            for (Outbox each : List.of(outbox, writer)) {
                assertThatThrownBy(each::start)
                        .isInstanceOf(OutboxException.class)
                        .hasMessageContaining("[schema] Table \"preflight_outbox\" is missing a primary key or unique"
                                + " index on (event_id) alone")
                        .hasMessageContaining("ALTER TABLE preflight_outbox ADD PRIMARY KEY (event_id)");
            }
        }
    }

    @Test
    void a_missing_index_of_finished_events_is_a_warning_for_who_purges() {
        Tables.execute(database().pool(), database().dropIndex("idx_" + TABLE + "_finished", TABLE.table()));
        try (Outbox purging = builder(database().pool()).build();
                Outbox other = builder(database().pool()).withoutPurge().build();
                Outbox deleting = builder(database().pool())
                        .withoutPurge()
                        .dispatcher(settings -> settings.completionMode(CompletionMode.DELETE))
                        .build()) {
            assertThat(purging.preflight().findings())
                    .singleElement()
                    .matches(finding -> finding.check().equals("schema")
                            && !finding.refuses()
                            && finding.message().contains("no index that begins with [status, done_at]"));
            assertThat(other.preflight()).isEqualTo(PreflightReport.CLEAN);
            assertThat(deleting.preflight()).isEqualTo(PreflightReport.CLEAN);
        }
    }

    @Test
    void a_check_of_an_unknown_name_is_refused_with_those_that_there_are() {
        assertThatThrownBy(
                        () -> builder(database().pool()).skipPreflight("rites").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("[rites]")
                .hasMessageContaining(
                        "database, schema, transactions, read-only, isolation, clock, idle-timeout, row-security, text,"
                                + " collation, rights, connections, prepared-statements");
    }

    @Test
    void connections_that_are_set_to_read_only_refuse_the_start() {
        try (HikariDataSource pool = database().newPool(2, config -> config.setReadOnly(true));
                Outbox outbox = builder(pool).writerOnly().build()) {
            boolean driverKnows = readOnly(pool);
            if (driverKnows) {
                assertThatThrownBy(outbox::start)
                        .hasMessageContaining("has found 1 problem ")
                        .hasMessageContaining("[read-only] The connections of the outbox are set to read-only");
            }
        }
    }

    /** H2 does not care what a connection is set to. */
    private static boolean readOnly(DataSource pool) {
        try (Connection conn = pool.getConnection()) {
            return conn.isReadOnly();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void a_provider_that_leaves_claims_on_a_level_that_hinders_them_is_a_warning() throws SQLException {
        try (HikariDataSource pool =
                        database().newPool(6, config -> config.setTransactionIsolation("TRANSACTION_SERIALIZABLE"));
                Outbox careless =
                        builder((ConnectionProvider) pool::getConnection).build();
                Outbox careful = builder(pool).build()) {
            assertThat(checksOf(careless.preflight().warnings())).containsExactly("isolation");
            assertThat(careful.preflight().findings()).isEmpty();
        }
    }

    @Test
    void rows_that_are_tried_hold_up_nobody() throws Exception {
        // Somebody claims, writes and purges while the trial's rows are there: the driver is held up before the trial
        // ends.
        CountDownLatch tried = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ConnectionProvider slow = () -> atRollback(database().pool().getConnection(), tried, goOn);
        try (Outbox outbox = builder(slow).build()) {
            Thread preflight = new Thread(outbox::preflight);
            preflight.start();
            assertThat(tried.await(30, TimeUnit.SECONDS)).isTrue();
            CountDownLatch delivered = new CountDownLatch(1);
            try (Outbox other = builder(database().pool())
                    .claimLocking(Duration.ofMinutes(1))
                    .listener("Person", "Left", event -> delivered.countDown())
                    .defaultListener(event -> {
                        throw new AssertionError(event.eventId());
                    })
                    .build()) {
                other.start();
                JdbcTransactionManager transactions = new JdbcTransactionManager(
                        new DataSourceConnectionProvider(database().pool()), context);
                try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
                    other.writer()
                            .write(EventEnvelope.builder("Left")
                                    .aggregateType("Person")
                                    .payloadJson("{}")
                                    .build());
                    tx.commit();
                }
                assertThat(delivered.await(30, TimeUnit.SECONDS)).isTrue();
            } finally {
                goOn.countDown();
                preflight.join();
            }
        }
    }

    private static Connection atRollback(Connection conn, CountDownLatch tried, CountDownLatch goOn) {
        return (Connection) Proxy.newProxyInstance(
                PreflightSuite.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (method.getName().equals("rollback") && args == null && tried.getCount() > 0) {
                        tried.countDown();
                        goOn.await();
                    }
                    try {
                        return method.invoke(conn, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
