package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.jdbc.purge.PostgresEventPurger;
import outbox.jdbc.relay.JdbcRelayLocks;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.jdbc.wakeup.PostgresWakeUps;
import outbox.model.PreflightFinding;
import outbox.model.PreflightReport;
import outbox.spi.ConnectionProvider;
import outbox.testservers.PgBouncer;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What only a PostgreSQL server, or a proxy before it, puts in the way. */
@Timeout(120)
class PostgresPreflightIT {

    private static final String ROLE = "outbox_tenant_role";
    private static final String PASSWORD = "Tenant-1-Password";

    private final TestDatabase server = TestServers.postgresql();
    private TestDatabase database;
    private HikariDataSource owner;

    @BeforeEach
    void createTable() throws Exception {
        database = server.fresh("outbox_preflight");
        owner = pool(database.jdbcUrl(), database.user(), database.password());
        try (Connection conn = owner.getConnection()) {
            OutboxSchema.create(conn, "postgresql", TableName.DEFAULT);
        }
    }

    @AfterEach
    void dropDatabase() {
        owner.close();
        server.dropDatabase(database.name());
    }

    private static HikariDataSource pool(String url, String user, String password) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setUsername(user);
        pool.setPassword(password);
        pool.setMaximumPoolSize(8);
        pool.setInitializationFailTimeout(-1);
        return pool;
    }

    private static OutboxBuilder builder(DataSource pool) {
        return JdbcOutbox.builder(pool, new ThreadLocalTxContext()).listener("Paid", event -> {});
    }

    private static List<PreflightFinding> refusals(DataSource pool) {
        try (Outbox outbox = builder(pool).build()) {
            PreflightReport report = outbox.preflight();
            assertThat(report.notAsked()).isNull();
            return report.refusals();
        }
    }

    @Test
    void a_tenant_policy_refuses_the_start_and_a_policy_for_all_rows_does_not() {
        Tables.execute(
                owner,
                "CREATE ROLE " + ROLE + " LOGIN PASSWORD '" + PASSWORD + "'",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON outbox_event, outbox_event_node, outbox_event_pause TO "
                        + ROLE,
                "ALTER TABLE outbox_event ENABLE ROW LEVEL SECURITY",
                "CREATE POLICY tenant ON outbox_event USING (tenant_id = current_setting('app.tenant', true))");
        try (HikariDataSource pool = pool(database.jdbcUrl(), ROLE, PASSWORD)) {
            assertThat(refusals(pool))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.toString())
                            .startsWith("[row-security] Table \"outbox_event\": row-level security is active")
                            .contains("refuses rows")
                            .contains("CREATE POLICY outbox_all ON outbox_event"));
            try (Outbox writer = builder(pool).writerOnly().build()) {
                writer.start();
                assertThat(writer.preflight().warnings())
                        .singleElement()
                        .matches(finding -> finding.check().equals("row-security"));
            }
            // Everything may be written, but what belongs to others is hidden from who delivers it.
            Tables.execute(owner, "CREATE POLICY writes ON outbox_event FOR INSERT WITH CHECK (true)");
            assertThat(refusals(pool))
                    .singleElement()
                    .matches(finding -> finding.message().contains("hides rows"));

            Tables.execute(
                    owner, "CREATE POLICY outbox_all ON outbox_event TO " + ROLE + " USING (true) WITH CHECK (true)");
            assertThat(refusals(pool)).isEmpty();
        } finally {
            Tables.execute(owner, "DROP OWNED BY " + ROLE, "DROP ROLE " + ROLE);
        }
    }

    @Test
    void a_server_that_does_not_write_for_now_is_told_in_its_own_words() {
        try (HikariDataSource pool = pool(database.jdbcUrl(), database.user(), database.password())) {
            pool.setConnectionInitSql("SET default_transaction_read_only = on");
            try (Outbox outbox = builder(pool).build()) {
                assertThat(outbox.preflight().notAsked())
                        .startsWith("org.postgresql.util.PSQLException: ")
                        .contains("read-only transaction");
            }
        }
    }

    private interface Work {
        void with(HikariDataSource pool);
    }

    private void withPolicies(Work work, String... policies) {
        Tables.execute(
                owner,
                "CREATE ROLE " + ROLE + " LOGIN PASSWORD '" + PASSWORD + "'",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON outbox_event, outbox_event_node, outbox_event_pause TO "
                        + ROLE,
                "ALTER TABLE outbox_event ENABLE ROW LEVEL SECURITY");
        Tables.execute(owner, policies);
        try (HikariDataSource pool = pool(database.jdbcUrl(), ROLE, PASSWORD)) {
            work.with(pool);
        } finally {
            Tables.execute(owner, "DROP OWNED BY " + ROLE, "DROP ROLE " + ROLE);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "USING (event_type <> 'Secret')",
                "USING (event_type IS DISTINCT FROM 'Secret')",
                "USING (payload::text NOT LIKE '%secret%' AND current_user <> 'nobody')"
            })
    void a_policy_that_hides_rows_by_what_is_in_them_refuses_the_start_though_it_lets_trials_through(String condition) {
        withPolicies(
                pool -> {
                    assertThat(refusals(pool))
                            .singleElement()
                            .satisfies(finding -> assertThat(finding.toString())
                                    .startsWith("[row-security] ")
                                    .contains("depending on what is in them (policies: no_secrets)"));
                    try (Outbox writer = builder(pool).writerOnly().build()) {
                        assertThat(writer.preflight().refusals()).isEmpty();
                        assertThat(writer.preflight().warnings())
                                .extracting(PreflightFinding::check)
                                .containsExactly("row-security");
                    }
                },
                "CREATE POLICY no_secrets ON outbox_event " + condition);
    }

    @Test
    void a_policy_that_holds_rows_back_of_those_that_another_lets_through_refuses_the_start() {
        withPolicies(
                pool -> assertThat(refusals(pool))
                        .singleElement()
                        .matches(finding -> finding.message().contains("(policies: no_secrets)")),
                "CREATE POLICY outbox_all ON outbox_event USING (true)",
                "CREATE POLICY no_secrets ON outbox_event AS RESTRICTIVE FOR SELECT USING (event_type <> 'Secret')");
    }

    @Test
    void policies_that_ask_only_who_the_user_is_or_are_meant_for_others_refuse_nothing() {
        withPolicies(
                pool -> assertThat(refusals(pool)).isEmpty(),
                "CREATE POLICY tenants ON outbox_event USING (tenant_id = current_setting('app.tenant', true)"
                        + " OR current_user = '" + ROLE + "')",
                "CREATE POLICY others ON outbox_event AS RESTRICTIVE TO " + database.user() + " USING (false)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"session", "transaction"})
    void a_proxy_is_looked_at_with_no_more_than_twenty_statements_in_all(String mode) throws Exception {
        try (Connection conn = owner.getConnection()) {
            OutboxSchema.create(conn, "postgresql-ordered", TableName.DEFAULT);
        }
        assertAtMostTwentyStatements(mode, server);
        withPolicies(
                direct -> assertAtMostTwentyStatements(mode, new TestDatabase(server.jdbcUrl(), ROLE, PASSWORD)),
                "CREATE POLICY outbox_all ON outbox_event USING (tenant_id = 'a' OR current_user = '" + ROLE + "')");
    }

    /** Clients of the proxy are whoever the proxy logs in as. */
    private void assertAtMostTwentyStatements(String mode, TestDatabase user) {
        try (PgBouncer proxy =
                new PgBouncer(TestServers.newServerDirectory("preflight-proxy"), user, 5).withMode(mode)) {
            proxy.start();
            assertAtMostTwentyStatements(proxy.through(database), mode);
        }
    }

    private void assertAtMostTwentyStatements(TestDatabase behindProxy, String mode) {
        AtomicInteger statements = new AtomicInteger();
        Thread here = Thread.currentThread();
        try (HikariDataSource through = pool(behindProxy.jdbcUrl(), behindProxy.user(), behindProxy.password());
                Outbox outbox = Outbox.builder(
                                new PostgresOutboxStore(),
                                () -> {
                                    Connection conn = through.getConnection();
                                    boolean counts = Thread.currentThread() == here
                                            || Thread.currentThread().getName().startsWith("outbox-preflight-");
                                    return counts ? CountedRoundTrips.of(conn, statements) : conn;
                                },
                                new ThreadLocalTxContext())
                        .listener("Paid", event -> {})
                        .ordered()
                        .singleActive(JdbcRelayLocks.forTable(owner, TableName.DEFAULT))
                        .poller(settings -> settings.wakeUpSource(new PostgresWakeUps(owner, TableName.DEFAULT)))
                        .purger(new PostgresEventPurger())
                        .build()) {
            PreflightReport report = outbox.preflight();
            assertThat(report.findings())
                    .extracting(PreflightFinding::check)
                    .containsExactlyElementsOf(mode.equals("session") ? List.of() : List.of("prepared-statements"));
            assertThat(statements.get()).isBetween(12, 20);
        }
    }

    @Test
    void a_data_source_of_unknown_size_is_asked_for_a_second_connection() {
        try (PgBouncer proxy = new PgBouncer(TestServers.newServerDirectory("preflight-proxy"), server, 5)) {
            proxy.start();
            TestDatabase through = proxy.through(database);
            try (Outbox unpooled = outbox(through::connect)) {
                assertThatThrownBy(unpooled::start)
                        .hasMessageContaining("[prepared-statements] ")
                        .hasMessageContaining("Set prepareThreshold=0");
            }
        }
    }

    @Test
    void where_no_second_connection_is_to_be_had_the_start_waits_no_longer_than_it_must_and_warns() throws Exception {
        try (PgBouncer proxy = new PgBouncer(TestServers.newServerDirectory("preflight-proxy"), server, 5)) {
            proxy.start();
            TestDatabase through = proxy.through(database);
            try (HikariDataSource one = pool(through.jdbcUrl(), through.user(), through.password())) {
                one.setMaximumPoolSize(1);
                one.setConnectionTimeout(TimeUnit.MINUTES.toMillis(2)); // longer than the test may take
                try (Outbox known = builder(one).build();
                        Outbox hidden = outbox(one::getConnection)) {
                    assertThat(warningOfProxy(known)).contains("with a pool of one connection its mode cannot be told");
                    assertThat(warningOfProxy(hidden))
                            .contains("no second connection was to be had within 3 s")
                            .contains("Set prepareThreshold=0");
                }
                one.getConnection().close(); // it was given back
            }
        }
    }

    private static Outbox outbox(ConnectionProvider connections) {
        return Outbox.builder(new PostgresOutboxStore(), connections, new ThreadLocalTxContext())
                .listener("Paid", event -> {})
                .build();
    }

    private static String warningOfProxy(Outbox outbox) {
        PreflightReport report = outbox.preflight();
        assertThat(report.passed()).isTrue();
        return report.warnings().stream()
                .filter(finding -> finding.check().equals("prepared-statements"))
                .findFirst()
                .orElseThrow()
                .message();
    }

    @Test
    void a_pool_whose_connections_are_all_kept_refuses_the_start_with_the_sum_and_a_small_one_warns() {
        for (int size : new int[] {2, 3}) {
            try (HikariDataSource pool = pool(database.jdbcUrl(), database.user(), database.password())) {
                pool.setMaximumPoolSize(size);
                try (Outbox outbox = builder(pool)
                        .singleActive()
                        .poller(settings -> settings.wakeUpSource(new PostgresWakeUps(pool, TableName.DEFAULT)))
                        .build()) {
                    String sum = "The pool has at most " + size
                            + " connection(s), of which 2 are kept by single active and wake-ups";
                    if (size == 2) {
                        assertThatThrownBy(outbox::start)
                                .hasMessageContaining("[connections] " + sum + ": none is left for claims, outcomes")
                                .hasMessageContaining("give it at least 7 beside those of the application");
                    } else {
                        outbox.start();
                        assertThat(outbox.preflight().warnings())
                                .singleElement()
                                .matches(finding -> finding.message().startsWith(sum)
                                        && finding.message().contains("the look for events of joined transactions"));
                    }
                }
            }
        }
    }

    @Test
    void a_server_that_ends_idle_sessions_is_a_warning_for_who_listens() {
        try (HikariDataSource pool = pool(
                        database.jdbcUrl() + "?options=-c%20idle_session_timeout=5000",
                        database.user(),
                        database.password());
                Outbox listening = builder(pool)
                        .poller(settings -> settings.wakeUpSource(new PostgresWakeUps(pool, TableName.DEFAULT)))
                        .build();
                Outbox other = builder(pool).build()) {
            assertThat(listening.preflight().warnings())
                    .extracting(PreflightFinding::check)
                    .contains("idle-timeout");
            assertThat(other.preflight().warnings())
                    .extracting(PreflightFinding::check)
                    .doesNotContain("idle-timeout");
        }
    }

    @Test
    void a_proxy_that_pools_transactions_needs_statements_that_are_not_prepared_in_the_server() {
        try (PgBouncer proxy = new PgBouncer(TestServers.newServerDirectory("preflight-proxy"), server, 5)) {
            proxy.start();
            TestDatabase through = proxy.through(database);
            TestDatabase careful = through.withParameter("prepareThreshold", "0");
            try (HikariDataSource prepared = pool(through.jdbcUrl(), through.user(), through.password());
                    HikariDataSource unprepared = pool(careful.jdbcUrl(), careful.user(), careful.password())) {
                assertThat(refusals(prepared))
                        .singleElement()
                        .satisfies(finding -> assertThat(finding.toString())
                                .startsWith("[prepared-statements] ")
                                .contains("Set prepareThreshold=0"));
                try (Outbox outbox = builder(prepared).build()) {
                    assertThatThrownBy(outbox::start).hasMessageContaining("prepareThreshold=0");
                }
                assertThat(refusals(unprepared)).isEmpty();
            }
        }
    }

    @Test
    void names_that_another_client_has_taken_in_the_session_are_proof_of_a_proxy_that_pools_transactions()
            throws Exception {
        try (PgBouncer proxy = new PgBouncer(TestServers.newServerDirectory("preflight-proxy"), server, 1)) {
            proxy.start();
            TestDatabase through = proxy.through(database);
            try (Connection squatter =
                            through.withParameter("prepareThreshold", "0").connect();
                    HikariDataSource pool = pool(through.jdbcUrl(), through.user(), through.password())) {
                for (int i = 1; i <= 50; i++) {
                    JdbcTemplate.update(squatter, "PREPARE \"S_" + i + "\" AS SELECT 1");
                }
                for (int i = 0; i < 10; i++) { // at whichever statement the names meet
                    assertThat(refusals(pool))
                            .singleElement()
                            .satisfies(finding -> assertThat(finding.toString())
                                    .startsWith("[prepared-statements] ")
                                    .contains("Set prepareThreshold=0"));
                }
            }
        }
    }

    @Test
    void a_proxy_that_pools_statements_is_no_database_that_is_away() {
        try (PgBouncer proxy =
                new PgBouncer(TestServers.newServerDirectory("preflight-proxy"), server, 5).withMode("statement")) {
            proxy.start();
            TestDatabase through = proxy.through(database).withParameter("prepareThreshold", "0");
            try (HikariDataSource pool = pool(through.jdbcUrl(), through.user(), through.password());
                    Outbox outbox = builder(pool).build()) {
                assertThatThrownBy(outbox::start)
                        .hasMessageContaining("has found 1 problem ")
                        .hasMessageContaining("PgBouncer in statement mode lets no transaction begin");
            }
        }
    }
}
