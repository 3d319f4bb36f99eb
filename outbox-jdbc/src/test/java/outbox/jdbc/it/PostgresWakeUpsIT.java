package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.jdbc.wakeup.PostgresWakeUps;
import outbox.spi.WakeUpSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The trigger tells of what nobody has leased, and who listens hears it, also after its connection died. */
@Timeout(120)
class PostgresWakeUpsIT {

    private static final TableName TABLE = TableName.of("wake_outbox");
    private static final TableName OTHER_TABLE = TableName.of("wake_outbox_2");
    private static final long AN_HOUR = TimeUnit.HOURS.toMillis(1);

    private final TestedDatabase database = TestedDatabase.POSTGRESQL;
    private final DataSource pool = database.pool();
    private final Sessions sessions = new Sessions(database);
    private final BlockingQueue<String> delivered = new LinkedBlockingQueue<>();
    private final HikariDataSource listeningPool = database.newPool(1, true);

    @BeforeEach
    void createTables() throws SQLException {
        create(TABLE);
        create(OTHER_TABLE);
    }

    @AfterEach
    void closePool() {
        assertThat(listeningThreads()).isEmpty();
        assertThat(listeningPool.getHikariPoolMXBean().getActiveConnections()).isZero();
        listeningPool.close();
    }

    private void create(TableName table) throws SQLException {
        Tables.drop(pool, table);
        try (Connection conn = pool.getConnection()) {
            OutboxSchema.create(conn, "postgresql", table);
            OutboxSchema.create(conn, "postgresql-notify", table);
            OutboxSchema.create(conn, "postgresql-notify", table); // twice is harmless
        }
    }

    private void insert(TableName table, String id) {
        Tables.execute(
                pool,
                "INSERT INTO " + table + " (event_id, event_type, payload, status, available_at, created_at)"
                        + " VALUES ('" + id + "', 'Tick', '{}', 0, now(), now())");
    }

    private Node start(WakeUpSource source, TableName table) {
        Node node = new Node(
                pool, database.store(table), d -> d, p -> p.intervalMs(AN_HOUR).wakeUpSource(source));
        node.listeners.register("Tick", event -> delivered.add(event.eventId()));
        node.poller.start();
        return node;
    }

    private String nextDelivered() throws InterruptedException {
        return delivered.poll(30, TimeUnit.SECONDS);
    }

    private static List<String> listeningThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> name.startsWith("outbox-listen-"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void what_another_process_writes_is_delivered_long_before_the_interval_has_passed(boolean autoCommit)
            throws Exception {
        try (HikariDataSource one = database.newPool(1, autoCommit);
                Node node = start(new PostgresWakeUps(one, TABLE), TABLE)) {
            for (String id : List.of("e1", "e2", "e3")) {
                insert(TABLE, id);
                assertThat(nextDelivered()).isEqualTo(id);
            }
            assertThat(listeningThreads()).hasSize(1);
            node.signals.await(Signals.Kind.COLD_ENQUEUED, 3);
        }
        assertThat(delivered).isEmpty();
    }

    @Test
    void after_its_connection_was_killed_it_comes_back_and_wakes_for_what_it_missed() throws Exception {
        String session = sessions.of(listeningPool);
        try (Node node = start(new PostgresWakeUps(listeningPool, TABLE), TABLE)) {
            insert(TABLE, "before");
            assertThat(nextDelivered()).isEqualTo("before");
            insert(TABLE, "and before");
            assertThat(nextDelivered()).isEqualTo("and before");
            sessions.kill(session);
            insert(TABLE, "meanwhile");
            assertThat(nextDelivered()).isEqualTo("meanwhile");
            insert(TABLE, "afterwards");
            assertThat(nextDelivered()).isEqualTo("afterwards");
            node.signals.await(Signals.Kind.COLD_ENQUEUED, 4);
        }
    }

    @Test
    void it_wakes_when_it_begins_to_listen_and_for_each_write_after_that() throws Exception {
        BlockingQueue<String> wakeUps = new LinkedBlockingQueue<>();
        try (PostgresWakeUps source = new PostgresWakeUps(listeningPool, TABLE)) {
            source.start(() -> wakeUps.add("woken"));
            assertThat(wakeUps.poll(30, TimeUnit.SECONDS)).isEqualTo("woken");
            insert(TABLE, "e1");
            assertThat(wakeUps.poll(30, TimeUnit.SECONDS)).isEqualTo("woken");
        }
        assertThat(wakeUps).isEmpty();
    }

    @Test
    void closing_before_the_start_and_twice_is_harmless() {
        PostgresWakeUps source = new PostgresWakeUps(listeningPool, TABLE);
        source.close();
        source.close();

        assertThat(listeningThreads()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void its_connection_is_given_back_as_it_was_found(boolean autoCommit) throws Exception {
        BlockingQueue<String> wakeUps = new LinkedBlockingQueue<>();
        try (OneConnection one = new OneConnection(database)) {
            one.physical.setAutoCommit(autoCommit);
            try (PostgresWakeUps source = new PostgresWakeUps(one.pool(), TABLE)) {
                source.start(() -> wakeUps.add("woken"));
                assertThat(wakeUps.poll(30, TimeUnit.SECONDS)).isEqualTo("woken");
            }

            assertThat(one.isBorrowed()).isFalse();
            assertThat(one.physical.getAutoCommit()).isEqualTo(autoCommit);
            assertThat(JdbcTemplate.query(one.physical, "SELECT pg_listening_channels()", row -> row.getString(1)))
                    .isEmpty();
        }
    }

    @Test
    void rows_that_somebody_has_leased_notify_nobody_and_a_batch_of_others_once() throws SQLException {
        try (Listener listener = new Listener(TABLE);
                Connection conn = pool.getConnection()) {
            database.store(TABLE).leases().insertLeased(conn, events(1), "node-1");
            database.store(TABLE).leases().insertLeased(conn, events(3), "node-1");
            assertThat(listener.heardUntilNow()).isEmpty();
            database.store(TABLE).insertBatch(conn, events(5));
            assertThat(listener.heardUntilNow()).containsExactly("wake_outbox");
            database.store(TABLE).insertNew(conn, events(1).get(0));
            assertThat(listener.heardUntilNow()).containsExactly("wake_outbox");
        }
    }

    @Test
    void what_is_rolled_back_and_what_is_updated_notifies_nobody() throws SQLException {
        try (Listener listener = new Listener(TABLE);
                Connection conn = pool.getConnection()) {
            insert(TABLE, "e1");
            assertThat(listener.heardUntilNow()).hasSize(1);
            conn.setAutoCommit(false);
            database.store(TABLE).insertBatch(conn, events(2));
            conn.rollback();
            database.store(TABLE).markDone(conn, "e1");
            conn.commit();
            conn.setAutoCommit(true);

            assertThat(listener.heardUntilNow()).isEmpty();
        }
    }

    @Test
    void each_table_has_a_channel_of_its_own() throws SQLException {
        try (Listener listener = new Listener(TABLE, OTHER_TABLE)) {
            insert(OTHER_TABLE, "e1");
            assertThat(listener.heardUntilNow()).containsExactly("wake_outbox_2");
            insert(TABLE, "e1");
            assertThat(listener.heardUntilNow()).containsExactly("wake_outbox");
        }
    }

    @Test
    void tables_of_one_name_in_two_schemas_do_not_wake_each_other() throws Exception {
        TableName first = TableName.of("wake_one", TABLE.table());
        TableName second = TableName.of("wake_two", TABLE.table());
        for (TableName table : List.of(first, second)) {
            Tables.execute(
                    pool, "DROP SCHEMA IF EXISTS " + table.schema() + " CASCADE", "CREATE SCHEMA " + table.schema());
            create(table);
        }
        try (Listener listener = new Listener(TABLE, first, second)) {
            insert(first, "in first");
            assertThat(listener.heardUntilNow()).containsExactly("wake_one.wake_outbox");
            insert(second, "in second");
            assertThat(listener.heardUntilNow()).containsExactly("wake_two.wake_outbox");
            insert(TABLE, "in public");
            assertThat(listener.heardUntilNow()).containsExactly("wake_outbox");
        }
        try (Node node = start(new PostgresWakeUps(listeningPool, first), first)) {
            assertThat(nextDelivered()).isEqualTo("in first");
            for (String id : List.of("e1", "e2")) {
                insert(first, id);
                assertThat(nextDelivered()).isEqualTo(id);
            }
            node.signals.await(Signals.Kind.COLD_ENQUEUED, 3);
        }
    }

    private static List<EventEnvelope> events(int count) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(EventEnvelope.ofJson("Tick", "{}"));
        }
        return events;
    }

    /** Hears what the server sends. A word of its own marks the end of what was sent before, since the server keeps the order. */
    private final class Listener implements AutoCloseable {

        private static final String WORD = "until now";

        private final Connection conn = new OneConnection(database).physical;

        Listener(TableName... tables) throws SQLException {
            JdbcTemplate.update(conn, "LISTEN \"" + WORD + "\"");
            for (TableName table : tables) {
                JdbcTemplate.update(conn, "LISTEN \"" + table + "\"");
            }
        }

        /** The channels of what was sent since the last call. */
        List<String> heardUntilNow() throws SQLException {
            Tables.select(pool, "SELECT pg_notify('" + WORD + "', '')");
            List<String> heard = new ArrayList<>();
            while (!heard.contains(WORD)) {
                PGNotification[] arrived = conn.unwrap(PGConnection.class).getNotifications(30_000);
                assertThat(arrived).as("notifications").isNotEmpty();
                for (PGNotification notification : arrived) {
                    heard.add(notification.getName());
                }
            }
            heard.remove(WORD);
            return heard;
        }

        @Override
        public void close() throws SQLException {
            conn.close();
        }
    }
}
