package outbox.jdbc.it;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.EventStatus;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** Outboxes as an application has them, wired in a few lines: single, several nodes, ordered, writer only, and one per module. */
@Timeout(60)
@Tag("locale")
abstract class OutboxFacadeSuite {

    private static final TableName ORG = TableName.of("org_outbox");
    private static final TableName HRM = TableName.of("hrm_outbox");

    private final ThreadLocalTxContext context = new ThreadLocalTxContext();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private JdbcStoreFixture org;
    private JdbcStoreFixture hrm;

    abstract TestedDatabase database();

    @BeforeEach
    void createTables() {
        org = Tables.shipped(database(), ORG.table());
        hrm = Tables.shipped(database(), HRM.table());
    }

    private OutboxBuilder builder(TableName table) {
        return JdbcOutbox.builder(database().pool(), context, table);
    }

    private JdbcTransactionManager transactions() {
        return new JdbcTransactionManager(
                new DataSourceConnectionProvider(database().pool()), context);
    }

    private void write(Outbox outbox, String id) throws SQLException {
        try (JdbcTransactionManager.Transaction tx = transactions().begin()) {
            outbox.writer().write(event(id));
            tx.commit();
        }
    }

    private static EventEnvelope event(String id) {
        return EventEnvelope.builder("Hired")
                .eventId(id)
                .aggregateType("Person")
                .aggregateId("1")
                .payloadJson("{}")
                .build();
    }

    @Test
    void a_single_process_delivers_what_it_writes_and_what_it_finds() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        try (Outbox writer = builder(ORG).writerOnly().build()) {
            write(writer, "found");
        }
        try (Outbox outbox = builder(ORG)
                .listener("Person", "Hired", event -> both.countDown())
                .poller(settings -> settings.intervalMs(50))
                .build()) {
            outbox.start();
            write(outbox, "written");

            assertThat(both.await(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(org.find("found").status()).isEqualTo(EventStatus.DONE);
        assertThat(org.find("written").status()).isEqualTo(EventStatus.DONE);
    }

    @Test
    void two_nodes_share_a_table_and_deliver_each_event_once() throws Exception {
        int events = 40;
        CountDownLatch all = new CountDownLatch(events);
        try (Outbox one = node(all);
                Outbox other = node(all)) {
            one.start();
            other.start();
            for (int i = 0; i < events; i++) {
                write(i % 2 == 0 ? one : other, "event-" + i);
            }
            assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(delivered).hasSize(events).doesNotHaveDuplicates();
    }

    private Outbox node(CountDownLatch all) {
        return builder(ORG)
                .claimLocking(Duration.ofMinutes(1))
                .listener("Person", "Hired", event -> {
                    delivered.add(event.eventId());
                    all.countDown();
                })
                .build();
    }

    @Test
    void an_ordered_outbox_delivers_the_events_of_an_aggregate_one_after_the_other() throws Exception {
        CountDownLatch all = new CountDownLatch(3);
        try (Outbox outbox = builder(ORG)
                .ordered()
                .listener("Person", "Hired", event -> {
                    delivered.add(event.eventId());
                    all.countDown();
                })
                .poller(settings -> settings.intervalMs(50))
                .build()) {
            outbox.start();
            for (String id : List.of("a", "b", "c")) {
                write(outbox, id);
            }
            assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(outbox.blockedKeys().query(10)).isEmpty();
        }
        assertThat(delivered).containsExactly("a", "b", "c");
    }

    @Test
    void modules_with_outboxes_of_their_own_write_in_one_transaction_and_deliver_apart() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        try (Outbox orgOutbox = module(ORG, both);
                Outbox hrmOutbox = module(HRM, both)) {
            orgOutbox.start();
            hrmOutbox.start();
            try (JdbcTransactionManager.Transaction tx = transactions().begin()) {
                orgOutbox.writer().write(event("of org"));
                hrmOutbox.writer().write(event("of hrm"));
                tx.commit();
            }
            try (JdbcTransactionManager.Transaction tx = transactions().begin()) {
                orgOutbox.writer().write(event("rolled back"));
                hrmOutbox.writer().write(event("rolled back too"));
                tx.rollback();
            }
            assertThat(both.await(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(delivered).containsExactlyInAnyOrder("org_outbox: of org", "hrm_outbox: of hrm");
        assertThat(org.find("of org").status()).isEqualTo(EventStatus.DONE);
        assertThat(hrm.find("of hrm").status()).isEqualTo(EventStatus.DONE);
    }

    private Outbox module(TableName table, CountDownLatch both) {
        return builder(table)
                .listener("Person", "Hired", event -> {
                    delivered.add(table + ": " + event.eventId());
                    both.countDown();
                })
                .build();
    }

    @Test
    void a_dead_event_is_found_and_replayed() throws Exception {
        CountDownLatch wellAgain = new CountDownLatch(1);
        CountDownLatch failed = new CountDownLatch(1);
        try (Outbox outbox = builder(ORG)
                .listener("Person", "Hired", event -> {
                    if (failed.getCount() > 0) {
                        failed.countDown();
                        throw new IllegalStateException("not today");
                    }
                    wellAgain.countDown();
                })
                .dispatcher(settings -> settings.maxAttempts(1))
                .poller(settings -> settings.intervalMs(50))
                .build()) {
            outbox.start();
            write(outbox, "dies");
            assertThat(failed.await(30, TimeUnit.SECONDS)).isTrue();
            while (outbox.deadEvents().query(null, null, 10).isEmpty()) {
                Thread.onSpinWait(); // the test's timeout ends it
            }
            assertThat(outbox.deadEvents().replay("dies")).isTrue();

            assertThat(wellAgain.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }
}
