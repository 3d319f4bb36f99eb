package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.model.NodeMode;
import outbox.model.OutboxNode;
import outbox.spi.LeaseStore;
import outbox.spi.MissingNodeTableException;
import outbox.spi.WakeUpSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/** The table of nodes: who is in it, and that nothing depends on it. */
@Timeout(60)
abstract class NodesSuite {

    private static final TableName TABLE = TableName.of("nodes_outbox");
    private static final TableName NODES = TABLE.beside("_node");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();

    abstract TestedDatabase database();

    @BeforeEach
    void dropTables() {
        Tables.drop(database().pool(), TABLE);
        Tables.drop(database().pool(), NODES);
    }

    private void createTables() throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            OutboxSchema.create(conn, database().store(TABLE).name(), TABLE);
            OutboxSchema.create(conn, database().store(TABLE).name() + "-ordered", TABLE);
        }
    }

    private OutboxBuilder builder() {
        return JdbcOutbox.builder(database().pool(), TABLE)
                .skipPreflight("connections")
                .listener("Tick", event -> {});
    }

    private LeaseStore leases() {
        return database().store(TABLE).leases();
    }

    private List<String> rows() {
        return Tables.select(database().pool(), "SELECT owner_id FROM " + NODES);
    }

    private void awaitRows(int count) {
        while (rows().size() != count) {
            Thread.onSpinWait(); // the test's timeout ends it
        }
    }

    private <T> T inTransaction(ShortTransaction.Work<T> work) throws SQLException {
        return ShortTransaction.run(
                () -> {
                    Connection conn = database().pool().getConnection();
                    conn.setAutoCommit(false);
                    return conn;
                },
                work);
    }

    private List<OutboxNode> beside(String owner, LeaseStore leases) throws SQLException {
        return inTransaction(conn -> leases.neighbours(conn, owner, MINUTE));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void without_a_table_of_nodes_all_works_and_each_process_says_so_once(boolean singleProcess) throws Exception {
        Tables.execute(database().pool(), Tables.specified(database(), TABLE.table()));
        int events = 100;
        CountDownLatch all = new CountDownLatch(events);
        UnaryOperator<OutboxBuilder> mode = singleProcess ? OutboxBuilder::singleProcess : builder -> builder;
        try (LibraryLog log = new LibraryLog()) {
            try (Outbox one = started(mode, all);
                    Outbox other = singleProcess ? writer() : started(mode, all)) {
                for (int i = 0; i < events; i++) {
                    String id = String.valueOf(i);
                    Outbox writer = i % 2 == 0 ? one : other;
                    writer.inTransaction(tx -> {
                        writer.write("Tick", id, "{}");
                    });
                }
                assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
                while (log.lines(Level.INFO, NODES.table()).size() < (singleProcess ? 1 : 2)) {
                    Thread.onSpinWait(); // the test's timeout ends it
                }
                assertThat(one.nodes()).isEmpty();
                assertThat(one.health().problems()).isEmpty();
            }
            assertThat(delivered).hasSize(events).doesNotHaveDuplicates();
            assertThat(log.lines(Level.INFO, NODES.table()))
                    .hasSize(singleProcess ? 1 : 2)
                    .allSatisfy(line -> {
                        assertThat(line.getThrown()).isNull();
                        assertThat(line.getMessage())
                                .startsWith(
                                        "outbox nodes_outbox: Table \"nodes_outbox_node\" is missing, so nobody sees")
                                .contains("V688269.1.02__outbox_sequence_and_nodes.sql");
                    });
            assertThat(log.lines(Level.WARNING, NODES.table())).isEmpty();
        }
    }

    private Outbox started(UnaryOperator<OutboxBuilder> mode, CountDownLatch all) {
        Outbox outbox = mode.apply(JdbcOutbox.builder(database().pool(), TABLE))
                .skipPreflight("collation") // the specification names none
                .listener("Tick", event -> {
                    delivered.add(event.aggregateId());
                    all.countDown();
                })
                .poller(settings -> settings.intervalMs(100))
                .build();
        outbox.start();
        return outbox;
    }

    private Outbox writer() {
        return JdbcOutbox.builder(database().pool(), TABLE).writerOnly().build();
    }

    @Test
    void each_start_says_how_it_delivers_and_each_close_takes_it_out() throws SQLException {
        createTables();
        try (Outbox leasing = builder().build();
                Outbox ordered = builder().ordered().build();
                Outbox active = builder().singleActive().build();
                Outbox both = builder().ordered().singleActive().build();
                Outbox single = builder().singleProcess().build();
                Outbox writer = writer()) {
            assertThat(leasing.nodes()).isEmpty();
            for (Outbox outbox : List.of(leasing, ordered, active, both, single, writer)) {
                outbox.start();
            }
            awaitRows(5);
            assertThat(writer.nodes())
                    .extracting(OutboxNode::mode)
                    .containsExactlyInAnyOrder(
                            NodeMode.LEASES,
                            NodeMode.ORDERED,
                            NodeMode.SINGLE_ACTIVE,
                            NodeMode.ORDERED_SINGLE_ACTIVE,
                            NodeMode.SINGLE_PROCESS);
            assertThat(Tables.select(database().pool(), "SELECT mode FROM " + NODES))
                    .contains("leases", "ordered", "single active", "ordered, single active", "single process");
        }
        assertThat(rows()).isEmpty();
    }

    @Test
    void a_start_that_fails_leaves_no_row() throws SQLException {
        createTables();
        WakeUpSource fails = new WakeUpSource() {
            @Override
            public void start(Runnable wakeUp) {
                awaitRows(1);
                throw new IllegalStateException("no news today");
            }

            @Override
            public void close() {}
        };
        Outbox halfway =
                builder().poller(settings -> settings.wakeUpSource(fails)).build();
        assertThatThrownBy(halfway::start).hasMessage("no news today");
        assertThat(rows()).isEmpty();

        Outbox unheard = JdbcOutbox.builder(database().pool(), TABLE).build();
        assertThatThrownBy(unheard::start).isInstanceOf(IllegalStateException.class);
        assertThat(rows()).isEmpty();
    }

    @Test
    void a_table_of_nodes_without_modes_goes_on_working_and_that_is_told_once_at_info() throws SQLException {
        createTables();
        Tables.execute(database().pool(), "ALTER TABLE " + NODES + " DROP COLUMN mode");
        LeaseStore leases = leases();
        try (LibraryLog log = new LibraryLog()) {
            for (String owner : List.of("a", "b", "a")) {
                inTransaction(conn -> {
                    leases.heartbeat(conn, owner, NodeMode.SINGLE_PROCESS);
                    return true;
                });
            }
            assertThat(inTransaction(leases::nodes))
                    .extracting(OutboxNode::ownerId, OutboxNode::mode)
                    .containsExactlyInAnyOrder(tuple("a", null), tuple("b", null));
            assertThat(beside("a", leases))
                    .extracting(OutboxNode::ownerId, OutboxNode::mode)
                    .containsExactly(tuple("b", null));
            assertThat(log.lines(Level.INFO, "no column"))
                    .singleElement()
                    .satisfies(line -> assertThat(line.getMessage())
                            .contains("nodes_outbox_node", "V688269.1.06__outbox_node_mode.sql"));
            assertThat(log.lines(Level.WARNING, "")).isEmpty();
        }
    }

    @Test
    void a_column_that_goes_away_under_a_running_process_costs_one_look() throws SQLException {
        createTables();
        LeaseStore leases = leases();
        inTransaction(conn -> {
            leases.heartbeat(conn, "a", NodeMode.LEASES);
            return leases.neighbours(conn, "a", MINUTE);
        });
        Tables.execute(database().pool(), "ALTER TABLE " + NODES + " DROP COLUMN mode");

        assertThatThrownBy(() -> inTransaction(leases::nodes)).isInstanceOf(RuntimeException.class);

        assertThat(inTransaction(leases::nodes))
                .singleElement()
                .satisfies(node -> assertThat(node.mode()).isNull());
    }

    @Test
    void a_table_of_nodes_that_is_not_there_is_recognised_in_a_transaction_and_without_one() throws SQLException {
        Tables.execute(database().pool(), Tables.specified(database(), TABLE.table()));
        assertMissing(leases());
        dropTables();
        createTables();
        LeaseStore leases = leases();
        inTransaction(conn -> {
            leases.heartbeat(conn, "a", NodeMode.LEASES);
            return leases.nodes(conn);
        });
        Tables.drop(database().pool(), NODES);
        assertMissing(leases);
    }

    private void assertMissing(LeaseStore leases) {
        for (ShortTransaction.Work<Object> work : List.<ShortTransaction.Work<Object>>of(
                conn -> {
                    leases.heartbeat(conn, "a", NodeMode.LEASES);
                    return true;
                },
                leases::nodes,
                conn -> leases.neighbours(conn, "a", MINUTE))) {
            assertThatThrownBy(() -> inTransaction(work)).isInstanceOf(MissingNodeTableException.class);
            assertThatThrownBy(() -> ShortTransaction.run(
                            new DataSourceConnectionProvider(database().pool()), work))
                    .isInstanceOf(MissingNodeTableException.class);
        }
    }

    @Test
    void neighbours_are_the_others_that_were_heard_of_lately() throws SQLException {
        createTables();
        LeaseStore leases = leases();
        for (String owner : List.of("me", "lively", "silent")) {
            inTransaction(conn -> {
                leases.heartbeat(conn, owner, NodeMode.SINGLE_PROCESS);
                return true;
            });
        }
        Tables.execute(
                database().pool(),
                "UPDATE " + NODES + " SET last_seen = TIMESTAMP '2026-01-01 00:00:00' WHERE owner_id = 'silent'");

        assertThat(beside("me", leases)).singleElement().satisfies(node -> {
            assertThat(node.ownerId()).isEqualTo("lively");
            assertThat(node.mode()).isEqualTo(NodeMode.SINGLE_PROCESS);
            assertThat(node.held()).isZero();
        });
    }
}
