package outbox.proof.cluster;

import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.wakeup.PostgresWakeUps;
import outbox.poller.OutboxPoller;
import outbox.proof.database.DatabaseKind;
import outbox.registry.DefaultListenerRegistry;
import outbox.testservers.PgBouncer;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

import static org.assertj.core.api.Assertions.assertThat;

/** All goes through a proxy that gives each transaction another session. */
@Timeout(600)
class PostgresPgBouncerIT {

    private static final Duration LEASE = Duration.ofSeconds(30);

    /** Fewer than the nodes have connections, so that these share them. */
    private static final int SESSIONS = 5;

    private final Form form = Form.ofThisRun();
    private final TestDatabase server = TestServers.postgresql();
    private final PgBouncer proxy = new PgBouncer(TestServers.newServerDirectory("proxy"), server, SESSIONS);
    private TestDatabase database;
    private TestDatabase throughProxy;
    private Cluster cluster;

    @TempDir
    private Path directory;

    @BeforeEach
    void start() throws Exception {
        proxy.start();
        database = server.fresh("outbox_proxy");
        // a statement that was prepared in one session is unknown to the next
        throughProxy = proxy.through(database).withParameter("prepareThreshold", "0");
        cluster = new Cluster(database, DatabaseKind.POSTGRESQL, directory, LEASE);
    }

    @AfterEach
    void stop() throws Exception {
        cluster.close();
        proxy.close();
        server.dropDatabase(database.name());
    }

    @Test
    void nodes_that_share_sessions_deliver_each_event_exactly_once() throws Exception {
        List<NodeProcess> nodes = cluster.startNodes(2, node -> node.through(throughProxy));
        cluster.write(nodes, form.eventsPerNode, 5);
        cluster.awaitNothingPending();

        Cluster.Judged judged = cluster.judge();
        System.out.println("CLUSTER postgresql through PgBouncer, no fault: " + judged.committed() + " committed");
        assertThat(judged.verdict().describe()).isEmpty();
        assertThat(judged.isExactlyOnce()).isTrue();
        assertThat(judged.committed()).isEqualTo(2 * form.eventsPerNode);
    }

    @Test
    void one_node_is_active_at_any_time_however_often_it_loses_its_lock() throws Exception {
        new FailOvers(
                        cluster,
                        cluster.startNodes(2, node -> node.through(throughProxy).asSingleActive()))
                .run(form.failOvers, "postgresql through PgBouncer");
    }

    @Test
    void wake_ups_say_that_none_can_arrive_and_polling_delivers_all_the_same() throws Exception {
        BlockingQueue<String> delivered = new LinkedBlockingQueue<>();
        try (Warnings warnings = new Warnings(PostgresWakeUps.class);
                HikariDataSource pool = pool();
                OutboxDispatcher dispatcher = dispatcher(pool, delivered);
                OutboxPoller poller = poller(pool, dispatcher)) {
            poller.start();
            assertThat(warnings.next())
                    .contains("outbox_event")
                    .contains("proxy")
                    .contains("Polling goes on");
            insert("e1");
            assertThat(delivered.poll(30, TimeUnit.SECONDS)).isEqualTo("e1");
        }
    }

    private HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(throughProxy.jdbcUrl());
        pool.setUsername(throughProxy.user());
        pool.setPassword(throughProxy.password());
        return pool;
    }

    private static OutboxDispatcher dispatcher(HikariDataSource pool, BlockingQueue<String> delivered) {
        return OutboxDispatcher.builder()
                .connectionProvider(new DataSourceConnectionProvider(pool))
                .outboxStore(JdbcOutboxStores.detect(pool))
                .listenerRegistry(
                        new DefaultListenerRegistry().register("Tick", event -> delivered.add(event.eventId())))
                .build();
    }

    private static OutboxPoller poller(HikariDataSource pool, OutboxDispatcher dispatcher) {
        return OutboxPoller.builder()
                .connectionProvider(new DataSourceConnectionProvider(pool))
                .outboxStore(JdbcOutboxStores.detect(pool))
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking(LEASE)
                .intervalMs(100)
                .wakeUpSource(new PostgresWakeUps(pool, TableName.DEFAULT))
                .build();
    }

    /** As another program would. */
    private void insert(String id) throws Exception {
        try (Connection conn = cluster.connect()) {
            OutboxSchema.create(conn, "postgresql-notify", TableName.DEFAULT);
            JdbcTemplate.update(
                    conn,
                    "INSERT INTO outbox_event (event_id, event_type, payload, status, available_at, created_at)"
                            + " VALUES (?, 'Tick', '{}', 0, now(), now())",
                    id);
        }
    }
}
