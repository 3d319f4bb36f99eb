package outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.config.OutboxSwitches;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.EventPurger;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.testsupport.Await;
import outbox.testsupport.NamedThreads;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;
import outbox.testsupport.StubTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class OutboxTest {

    private static final EventListener IGNORE = event -> {};

    private final RecordingStore store = new RecordingStore();
    private StubTransaction transaction;

    @BeforeEach
    void beginTransaction() throws Exception {
        transaction = new StubTransaction();
    }

    private OutboxBuilder builder() {
        return builder(store);
    }

    private OutboxBuilder builder(OutboxStore onStore) {
        return Outbox.builder(onStore, StubConnections.autoCommitting(), transaction);
    }

    /** A store that knows its table, which threads are named after. */
    private static final class NamedStore extends RecordingStore {

        private final String table;

        private NamedStore(String table) {
            this.table = table;
        }

        @Override
        public String tableName() {
            return table;
        }
    }

    @Test
    void what_is_written_reaches_its_listener_after_the_commit() {
        CountDownLatch delivered = new CountDownLatch(1);
        try (Outbox outbox =
                builder().listener("Paid", event -> delivered.countDown()).build()) {
            outbox.writer().write("Paid", "{}");
            transaction.commit();

            Await.opened(delivered);
        }
    }

    @Test
    void an_event_of_an_aggregate_reaches_the_listener_of_its_type() {
        CountDownLatch delivered = new CountDownLatch(1);
        try (Outbox outbox = builder()
                .listener("Order", "Paid", event -> delivered.countDown())
                .build()) {
            outbox.writer()
                    .write(EventEnvelope.builder("Paid")
                            .aggregateType("Order")
                            .aggregateId("1")
                            .payloadJson("{}")
                            .build());
            transaction.commit();

            Await.opened(delivered);
        }
    }

    @Test
    void a_registry_can_take_the_place_of_listeners() {
        CountDownLatch delivered = new CountDownLatch(1);
        try (Outbox outbox = builder()
                .listeners(new DefaultListenerRegistry().register("Paid", event -> delivered.countDown()))
                .build()) {
            outbox.writer().write("Paid", "{}");
            transaction.commit();

            Await.opened(delivered);
        }
    }

    @Test
    void a_registry_beside_listeners_is_refused_and_leaves_no_threads() {
        OutboxBuilder both =
                builder(new NamedStore("both_given")).listener("Paid", IGNORE).listeners(new DefaultListenerRegistry());

        assertThatThrownBy(both::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("both_given")
                .hasMessageContaining("register those listeners in the registry");
        assertThat(NamedThreads.lasting("outbox-dispatcher-both_given")).isEmpty();
    }

    @Test
    void settings_that_do_not_fit_together_leave_no_threads() {
        OutboxBuilder wrong = builder(new NamedStore("does_not_fit")).poller(settings -> settings.batchSize(0));

        assertThatThrownBy(wrong::build).hasMessage("batchSize must be >= 1, was 0");
        assertThat(NamedThreads.lasting("outbox-dispatcher-does_not_fit")).isEmpty();
    }

    @Test
    void an_outbox_that_only_writes_has_neither_threads_nor_deliveries() {
        try (Outbox outbox = builder(new NamedStore("only_written"))
                .listener("Paid", event -> {
                    throw new AssertionError("delivered");
                })
                .purger((conn, before, limit) -> {
                    throw new AssertionError("purged");
                })
                .writerOnly()
                .build()) {
            outbox.start();
            outbox.writer().write("Paid", "{}");
            transaction.commit();

            assertThat(NamedThreads.alive("outbox-dispatcher-only_written")).isEmpty();
            assertThat(NamedThreads.alive("outbox-poller-only_written")).isEmpty();
        }
    }

    @Test
    void each_outbox_is_named_after_its_table() {
        try (Outbox one = builder(new NamedStore("org_outbox")).build();
                Outbox other = builder(new NamedStore("hrm_outbox")).build();
                Outbox nameless = builder().build()) {
            one.start();
            other.start();

            assertThat(one.name()).isEqualTo("org_outbox");
            assertThat(other.name()).isEqualTo("hrm_outbox");
            assertThat(nameless.name()).isEqualTo("outbox");
            for (String table : List.of("org_outbox", "hrm_outbox")) {
                assertThat(NamedThreads.alive("outbox-dispatcher-" + table + "-"))
                        .hasSize(4);
                assertThat(NamedThreads.alive("outbox-completer-" + table + "-"))
                        .hasSize(1);
                assertThat(NamedThreads.alive("outbox-poller-" + table + "-")).hasSize(1);
            }
        }
        assertThat(NamedThreads.lasting("outbox-dispatcher-org_outbox-")).isEmpty();
        assertThat(NamedThreads.lasting("outbox-poller-hrm_outbox-")).isEmpty();
    }

    @Test
    void finished_events_are_purged_after_their_retention() {
        CountDownLatch purged = new CountDownLatch(1);
        List<Instant> limits = new ArrayList<>();
        EventPurger purger = (conn, before, limit) -> {
            limits.add(before);
            purged.countDown();
            return 0;
        };
        Instant begun = Instant.now();
        try (Outbox outbox =
                builder().purger(purger).retention(Duration.ofHours(2)).build()) {
            outbox.start();
            Await.opened(purged);
        }

        assertThat(limits.get(0))
                .isBetween(begun.minus(Duration.ofHours(2)), Instant.now().minus(Duration.ofHours(2)));
    }

    @Test
    void switches_decide_whether_to_deliver_and_to_purge() {
        OutboxSwitches off =
                OutboxSwitches.from(Map.of("OUTBOX_RELAY_ENABLED", "false", "OUTBOX_CLEANER_ENABLED", "false"));
        try (Outbox outbox = builder(new NamedStore("switched_off"))
                .listener("Paid", IGNORE)
                .purger((conn, before, limit) -> {
                    throw new AssertionError("purged");
                })
                .switches(off)
                .build()) {
            outbox.start();

            assertThat(NamedThreads.alive("outbox-dispatcher-switched_off")).isEmpty();
            assertThat(NamedThreads.alive("outbox-poller-switched_off")).isEmpty();
        }
    }

    @Test
    void switches_set_the_attempts() {
        OutboxSwitches switches = OutboxSwitches.from(Map.of("OUTBOX_RELAY_MAX_ATTEMPTS", "1"));
        CountDownLatch dead = new CountDownLatch(1);
        MetricsExporter metrics = new MetricsExporter.Noop() {
            @Override
            public void incrementDispatchDead() {
                dead.countDown();
            }
        };
        try (Outbox outbox = builder()
                .listener("Paid", event -> {
                    throw new IllegalStateException("no");
                })
                .metrics(metrics)
                .switches(switches)
                .build()) {
            outbox.writer().write("Paid", "{}");
            transaction.commit();

            Await.opened(dead);
        }
    }

    @Test
    void order_needs_a_store_that_keeps_it_and_says_so() {
        OutboxBuilder ordered = builder(new NamedStore("cannot_order")).ordered();

        assertThatThrownBy(ordered::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs a store that keeps order");
        assertThat(NamedThreads.lasting("outbox-dispatcher-cannot_order")).isEmpty();
    }

    @Test
    void a_closed_outbox_can_be_closed_again_but_not_started() {
        Outbox outbox = builder().build();
        outbox.start();
        outbox.start();
        outbox.close();
        outbox.close();

        assertThatThrownBy(outbox::start).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void tools_for_dead_events_come_with_it_and_those_for_keys_where_there_is_an_order() {
        try (Outbox outbox = builder().build()) {
            assertThat(outbox.deadEvents().replay("unknown")).isFalse();
            assertThatThrownBy(outbox::blockedKeys).hasMessageContaining("does not keep events in order");
        }
    }

    @Test
    void an_outbox_whose_threads_run_is_healthy_and_so_is_one_that_has_none_or_is_closed() {
        Outbox outbox = builder()
                .defaultListener(IGNORE)
                .purger((conn, before, limit) -> 0)
                .build();
        assertThat(outbox.health().healthy()).isTrue();
        outbox.start();
        assertThat(outbox.health().problems()).isEmpty();
        outbox.close();
        assertThat(outbox.health().healthy()).isTrue();

        try (Outbox writer = builder().writerOnly().build()) {
            assertThat(writer.health().healthy()).isTrue();
        }
    }

    @Test
    void every_part_is_closed_also_when_one_fails() {
        List<String> closed = new ArrayList<>();
        AutoCloseable fails = () -> {
            closed.add("first");
            throw new IllegalStateException("first");
        };
        AutoCloseable failsToo = () -> {
            closed.add("second");
            throw new Exception("second");
        };

        assertThatThrownBy(() -> CloseInOrder.close(List.of(fails, failsToo, () -> closed.add("third"))))
                .hasMessage("first")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(closed).containsExactly("first", "second", "third");
    }
}
