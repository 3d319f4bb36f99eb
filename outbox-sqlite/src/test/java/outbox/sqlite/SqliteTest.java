package outbox.sqlite;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.internal.transaction.DatabaseFailure;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Failure;
import outbox.jdbc.relay.JdbcRelayLocks;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.EventRoute;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore;
import outbox.spi.OutboxStore;
import outbox.spi.RelayLock;
import outbox.spi.TableOverview;
import outbox.util.JsonCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SqliteTest {

    private SqliteFixture fixture;

    @BeforeEach
    void open() {
        fixture = SqliteFixture.create();
    }

    @AfterEach
    void close() {
        fixture.pool.close();
    }

    @Test
    void the_store_is_found_by_its_name_its_url_and_its_database() {
        assertThat(JdbcOutboxStores.get("sqlite")).isInstanceOf(SqliteOutboxStore.class);
        assertThat(JdbcOutboxStores.detect("jdbc:sqlite:x.db")).isInstanceOf(SqliteOutboxStore.class);
        assertThat(JdbcOutboxStores.detect(fixture.pool)).isInstanceOf(SqliteOutboxStore.class);
        assertThat(new SqliteOutboxStore("a_table").table()).isEqualTo(TableName.of("a_table"));
    }

    @Test
    void claims_and_polls_leave_out_the_kinds_that_they_are_told() throws SQLException {
        LeaseStore.ClaimRequest request = new LeaseStore.ClaimRequest(
                "owner",
                Duration.ofMinutes(5),
                Duration.ZERO,
                10,
                LeaseStore.Start.BEGINNING,
                Set.of(
                        new EventRoute("__GLOBAL__", "Unknown"),
                        new EventRoute("Order", "a"),
                        new EventRoute("Order", "b")));
        OutboxStore store = fixture.store();
        try (Connection conn = fixture.pool.getConnection()) {
            store.insertBatch(
                    conn, List.of(EventEnvelope.ofJson("Unknown", "{}"), EventEnvelope.ofJson("unknown", "{}")));

            assertThat(store.pollPending(conn, Instant.now().plusSeconds(60), Duration.ZERO, 10, request.leftOut()))
                    .extracting(OutboxEvent::eventType)
                    .containsExactly("unknown");
            assertThat(store.leases().claim(conn, request).events())
                    .extracting(taken -> taken.event().eventType())
                    .containsExactly("unknown");
            assertThat(store.ordered().claim(conn, request, List.of()).runs()).isEmpty();
        }
    }

    @Test
    void health_knows_how_long_the_oldest_event_has_been_due_that_no_held_key_keeps() throws SQLException {
        OutboxStore store = fixture.store();
        try (Connection conn = fixture.pool.getConnection()) {
            assertThat(store.overview(conn, 10, 10))
                    .isEqualTo(new TableOverview(null, new OutboxStore.DeadCount(0, 0), 0));
            store.insertNew(conn, old("head", "1", 60));
            store.leases().claim(conn, "me", Duration.ofMinutes(1), Duration.ZERO, 10);
            store.leases().markDead(conn, "me", List.of(new LeaseStore.HeldDead("head", "no", true)));
            store.insertBatch(conn, List.of(old("follower", "1", 50), old("free", "2", 40)));

            TableOverview seen = store.overview(conn, 10, 1);
            assertThat(seen.oldestDue()).isBetween(Duration.ofMinutes(40), Duration.ofMinutes(45));
            assertThat(seen.dead()).isEqualTo(new OutboxStore.DeadCount(1, 1));
            assertThat(seen.pending()).isEqualTo(1);
            store.leases().heartbeat(conn, "me");
            assertThat(store.leases().livingNodes(conn, Duration.ofSeconds(45))).hasValue(1);
        }
    }

    private static EventEnvelope old(String id, String key, int minutes) {
        return EventEnvelope.builder("Placed")
                .eventId(id)
                .aggregateType("Order")
                .aggregateId(key)
                .occurredAt(Instant.now().minus(Duration.ofMinutes(minutes)))
                .payloadJson("{}")
                .build();
    }

    @Test
    void the_facade_delivers_an_event() throws Exception {
        ThreadLocalTxContext context = new ThreadLocalTxContext();
        JdbcTransactionManager transactions =
                new JdbcTransactionManager(new DataSourceConnectionProvider(fixture.pool), context);
        AtomicReference<String> got = new AtomicReference<>();
        CountDownLatch delivered = new CountDownLatch(1);
        try (Outbox outbox = JdbcOutbox.builder(fixture.pool, context)
                .listener("OrderPlaced", event -> {
                    got.set(event.payloadJson());
                    delivered.countDown();
                })
                .build()) {
            outbox.start();
            try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
                outbox.writer().write(EventEnvelope.ofJson("OrderPlaced", "{\"n\":1}"));
                tx.commit();
            }
            assertThat(delivered.await(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(got.get()).isEqualTo("{\"n\":1}");
    }

    @Test
    void connections_whose_transactions_begin_with_a_look_are_refused() throws SQLException {
        try (HikariDataSource deferred = SqliteFixture.pool(SqliteFixture.newFile(), "");
                Connection conn = deferred.getConnection()) {
            assertThatThrownBy(() -> new SqliteOutboxStore().checkSchema(conn))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("transaction_mode=IMMEDIATE");
        }
        try (Connection conn = fixture.connect()) {
            new SqliteOutboxStore().checkSchema(conn);
            new SqliteOutboxStore().ordered().checkSchema(conn);
        }
    }

    @Test
    void one_of_two_holds_the_relay_lock_and_the_other_follows() throws SQLException {
        RelayLock first = JdbcRelayLocks.forTable(fixture.pool, TableName.DEFAULT);
        RelayLock second = JdbcRelayLocks.forTable(fixture.pool, TableName.DEFAULT);

        assertThat(first.tryHold()).isTrue();
        assertThat(first.tryHold()).isTrue();
        assertThat(second.tryHold()).isFalse();
        first.close();
        assertThat(second.tryHold()).isTrue();
        second.close();
    }

    @Test
    void refusals_are_told_apart() throws SQLException {
        SqliteOutboxStore store = SqliteOutboxStore.on(TableName.DEFAULT, JsonCodec.getDefault());
        EventEnvelope event = EventEnvelope.ofJson("OrderPlaced", "{}");
        try (Connection conn = fixture.connect()) {
            store.insertNew(conn, event);
            assertThatThrownBy(() -> store.insertNew(conn, event)).satisfies(e -> assertMeans(Failure.DUPLICATE, e));
            assertThatThrownBy(() -> store.insertNew(conn, EventEnvelope.ofJson("OrderPlaced", "no JSON")))
                    .satisfies(e -> assertMeans(Failure.CHECK, e))
                    .hasMessageContaining("is not JSON");
        }
        try (Connection conn = fixture.connect();
                Statement statement = conn.createStatement()) {
            statement.execute("PRAGMA query_only = 1");
            assertThatThrownBy(() -> store.markDone(conn, event.eventId()))
                    .satisfies(e -> assertMeans(Failure.READ_ONLY, e))
                    .satisfies(e -> assertThat(DatabaseFailure.of(e)).isEqualTo(DatabaseFailure.READ_ONLY));
        }
    }

    @Test
    void who_waits_in_vain_for_another_writer_is_told_that_it_was_locked_out() throws SQLException {
        SqliteOutboxStore store = new SqliteOutboxStore();
        try (Connection writing = fixture.connect();
                Connection waiting = fixture.connect();
                Statement statement = waiting.createStatement()) {
            writing.setAutoCommit(false);
            store.insertNew(writing, EventEnvelope.ofJson("OrderPlaced", "{}"));
            statement.execute("PRAGMA busy_timeout = 10");

            assertThatThrownBy(() -> store.insertNew(waiting, EventEnvelope.ofJson("OrderPlaced", "{}")))
                    .satisfies(e -> assertMeans(Failure.LOCK_TIMEOUT, e))
                    .satisfies(e -> assertThat(DatabaseFailure.of(e)).isEqualTo(DatabaseFailure.LOCKED));
            writing.rollback();
            writing.setAutoCommit(true);
        }
    }

    @Test
    void a_table_without_the_index_for_order_is_told_which_script_to_apply_and_where_it_is() throws SQLException {
        try (Connection conn = fixture.connect();
                Statement statement = conn.createStatement()) {
            statement.execute("DROP INDEX idx_outbox_event_key");
            assertThatThrownBy(() -> new SqliteOutboxStore().ordered().checkSchema(conn))
                    .hasMessageContaining("apply schema/sqlite-ordered.sql from outbox-sqlite");
        }
    }

    private static void assertMeans(Failure meant, Throwable e) {
        SQLException refusal = (SQLException) e.getCause();
        for (Failure failure : Failure.values()) {
            assertThat(new SqliteDialect().failures().is(failure, refusal)).isEqualTo(failure == meant);
        }
    }
}
