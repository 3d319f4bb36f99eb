package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.jdbc.wakeup.PostgresWakeUps;
import outbox.model.PreflightFinding;
import outbox.model.PreflightReport;
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
        pool.setMaximumPoolSize(4);
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
                "GRANT SELECT, INSERT, UPDATE, DELETE ON outbox_event, outbox_event_node TO " + ROLE,
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
