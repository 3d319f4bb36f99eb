package outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.config.OutboxSwitches;
import outbox.dispatch.Unroutable;
import outbox.model.EventStatus;
import outbox.purge.OutboxPurgeScheduler;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.EventPurger;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spi.PurgeRuns;
import outbox.spi.WakeUpSource;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.NamedThreads;
import outbox.testsupport.RecordingMetrics;
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
    void an_event_that_nobody_here_knows_waits_unless_it_is_to_be_dead() throws Exception {
        RecordingMetrics metrics = new RecordingMetrics();
        try (Outbox outbox = builder().listener("Paid", IGNORE).metrics(metrics).build()) {
            String waiting = outbox.writer().write("Placed", "{}");
            transaction.commit();
            assertThat(metrics.waitingRoutes).containsExactly(1);
            assertThat(metrics.hotEnqueued).hasValue(0);
            assertThat(store.status(waiting)).isEqualTo(EventStatus.NEW);
        }
        beginTransaction();
        try (Outbox outbox =
                builder().listener("Paid", IGNORE).unroutable(Unroutable.DEAD).build()) {
            String dead = outbox.writer().write("Placed", "{}");
            transaction.commit();
            assertThat(store.nextMark()).contains(dead);
            assertThat(store.status(dead)).isEqualTo(EventStatus.DEAD);
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
        try (Outbox one = builder(new NamedStore("org_outbox"))
                        .defaultListener(IGNORE)
                        .build();
                Outbox other = builder(new NamedStore("hrm_outbox"))
                        .defaultListener(IGNORE)
                        .build();
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
        try (Outbox outbox = builder()
                .defaultListener(IGNORE)
                .purger(purger)
                .retention(Duration.ofHours(2))
                .deadRetention(Duration.ofHours(2))
                .build()) {
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
    void committed_events_are_counted_where_nobody_delivers() {
        OutboxSwitches off = OutboxSwitches.from(Map.of("OUTBOX_RELAY_ENABLED", "false"));
        RecordingMetrics metrics = new RecordingMetrics();
        try (Outbox writerOnly = builder().metrics(metrics).writerOnly().build();
                Outbox switchedOff = builder()
                        .listener("Paid", IGNORE)
                        .metrics(metrics)
                        .switches(off)
                        .build()) {
            writerOnly.writer().write("Paid", "{}");
            switchedOff.writer().write("Shipped", "{}");
            assertThat(metrics.events).isEmpty();
            transaction.commit();

            assertThat(metrics.events).containsExactly("WRITTEN Paid", "WRITTEN Shipped");
        }
    }

    @Test
    void what_is_rolled_back_is_not_counted_and_without_an_exporter_there_is_nothing_to_call() {
        RecordingMetrics metrics = new RecordingMetrics();
        try (Outbox counting = builder().metrics(metrics).writerOnly().build();
                Outbox silent = builder().writerOnly().build()) {
            silent.writer().write("Paid", "{}");
            assertThat(transaction.callbacks()).isZero();
            counting.writer().write("Paid", "{}");
            transaction.rollback();

            assertThat(metrics.events).isEmpty();
        }
        assertThat(WriterHook.counting(MetricsExporter.NOOP)).isSameAs(WriterHook.NOOP);
    }

    @Test
    void switches_keep_dead_events_unless_their_purge_is_switched_on() {
        assertThat(purgedWith(Map.of())).isEqualTo(List.of(false));
        assertThat(purgedWith(Map.of("OUTBOX_CLEANER_DEAD_ENABLED", "true"))).isEqualTo(List.of(true));
    }

    /** Whether DEAD events are purged too, for each run of the purge. */
    private List<Boolean> purgedWith(Map<String, String> variables) {
        CountDownLatch purged = new CountDownLatch(1);
        List<Boolean> runs = new ArrayList<>();
        EventPurger purger = new EventPurger() {
            @Override
            public int purge(Connection conn, Instant before, int limit) {
                throw new AssertionError("not by runs");
            }

            @Override
            public PurgeRuns runs() {
                return (expiry, beforeDelete) -> {
                    runs.add(expiry.deadBefore() != null);
                    purged.countDown();
                    return (connections, limit) -> new PurgeRuns.Batch(0, false, null);
                };
            }
        };
        try (Outbox outbox = builder()
                .listener("Paid", IGNORE)
                .purger(purger)
                .switches(OutboxSwitches.from(variables))
                .allActive()
                .build()) {
            outbox.start();
            Await.opened(purged);
        }
        return runs;
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
                .allActive()
                .build()) {
            outbox.writer().write("Paid", "{}");
            transaction.commit();

            Await.opened(dead);
        }
    }

    @Test
    void an_outbox_without_a_listener_does_not_start_unless_it_only_writes() {
        Outbox outbox = builder(new NamedStore("nobody_listens")).build();
        assertThatThrownBy(outbox::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("nobody_listens")
                .hasMessageContaining("listener(...)")
                .hasMessageContaining("writerOnly()");
        assertIsClosed(outbox, "nobody_listens");
        try (Outbox writer = builder().writerOnly().build()) {
            writer.start();
            assertThat(writer.isRunning()).isTrue();
        }
    }

    private static void assertIsClosed(Outbox outbox, String table) {
        for (String duty : List.of("dispatcher", "completer", "poller", "purge", "leases", "node", "preflight")) {
            assertThat(NamedThreads.lasting("outbox-" + duty + "-" + table)).isEmpty();
        }
        assertThat(outbox.isRunning()).isFalse();
        assertThatThrownBy(outbox::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(table)
                .hasMessageContaining("has been closed");
        assertThat(outbox.isRunning()).isFalse();
    }

    @Test
    void an_empty_registry_is_no_listener_and_one_that_cannot_tell_is_accepted() {
        Outbox empty = builder(new NamedStore("empty_registry"))
                .listeners(new DefaultListenerRegistry())
                .build();
        assertThatThrownBy(empty::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has no listener");
        assertIsClosed(empty, "empty_registry");

        DefaultListenerRegistry late = new DefaultListenerRegistry();
        try (Outbox outbox = builder().listeners(late).build();
                Outbox mute = builder().listeners((aggregate, type) -> null).build()) {
            late.register("Paid", IGNORE);
            outbox.start();
            mute.start();
            assertThat(outbox.isRunning()).isTrue();
            assertThat(mute.isRunning()).isTrue();
        }
    }

    @Test
    void a_start_that_fails_halfway_leaves_nothing_running() {
        WakeUpSource fails = new WakeUpSource() {
            @Override
            public void start(Runnable wakeUp) {
                throw new IllegalStateException("no news today");
            }

            @Override
            public void close() {}
        };
        Outbox outbox = builder(new NamedStore("fails_halfway"))
                .listener("Paid", IGNORE)
                .purger((conn, before, limit) -> 0)
                .deadRetention(OutboxPurgeScheduler.DEFAULT_RETENTION)
                .poller(settings -> settings.wakeUpSource(fails))
                .build();

        assertThatThrownBy(outbox::start).hasMessage("no news today");

        assertIsClosed(outbox, "fails_halfway");
    }

    @Test
    void a_second_start_changes_nothing() {
        AtomicInteger starts = new AtomicInteger();
        WakeUpSource counts = new WakeUpSource() {
            @Override
            public void start(Runnable wakeUp) {
                starts.incrementAndGet();
            }

            @Override
            public void close() {}
        };
        try (Outbox outbox = builder()
                .listener("Paid", IGNORE)
                .poller(settings -> settings.wakeUpSource(counts))
                .build()) {
            outbox.start();
            outbox.start();

            assertThat(outbox.isRunning()).isTrue();
            assertThat(starts).hasValue(1);
        }
    }

    @Test
    void leases_on_a_store_that_has_none_are_locks_and_that_is_told_at_info() {
        try (CapturedLog log = new CapturedLog()) {
            builder(new NamedStore("no_leases"))
                    .listener("Paid", IGNORE)
                    .build()
                    .close();
            builder(new NamedStore("asked_for_none"))
                    .listener("Paid", IGNORE)
                    .singleProcess()
                    .build()
                    .close();
            builder(new NamedStore("writes")).writerOnly().build().close();

            assertThat(log.lines()).singleElement().satisfies(line -> {
                assertThat(line.level()).isEqualTo(Level.INFO);
                assertThat(line.text())
                        .startsWith("outbox no_leases: ")
                        .contains("NamedStore has no leases", "with several processes one may be delivered twice");
                assertThat(line.thrown()).isNull();
            });
        }
    }

    @Test
    void a_lock_ttl_that_is_too_short_for_an_outbox_is_refused_by_the_name_of_its_variable() {
        OutboxSwitches tooShort = OutboxSwitches.from(Map.of("OUTBOX_RELAY_LOCK_TTL", "1ms"));

        assertThatThrownBy(() -> builder().switches(tooShort))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("OUTBOX_RELAY_LOCK_TTL must be at least 1s")
                .hasMessageContaining("was PT0.001S");
    }

    @Test
    void an_outbox_that_only_writes_does_not_start_again_after_its_close() {
        Outbox writer = builder(new NamedStore("only_wrote")).writerOnly().build();
        writer.start();
        writer.close();

        assertIsClosed(writer, "only_wrote");
    }

    @Test
    void a_listener_of_a_type_takes_it_whatever_the_aggregate_and_an_exact_one_wins() throws Exception {
        Queue<String> taken = new ConcurrentLinkedQueue<>();
        CountDownLatch all = new CountDownLatch(4);
        try (Outbox outbox = builder()
                .listener("Paid", event -> note(taken, all, "type"))
                .listener("Order", "Paid", event -> note(taken, all, "exact"))
                .aggregateListener("Invoice", event -> note(taken, all, "aggregate"))
                .defaultListener(event -> note(taken, all, "default"))
                .build()) {
            for (String[] route :
                    new String[][] {{"Order", "Paid"}, {"Invoice", "Paid"}, {"Invoice", "Sent"}, {"Order", "Sent"}}) {
                outbox.write(EventEnvelope.builder(route[1])
                        .aggregateType(route[0])
                        .payloadJson("{}")
                        .build());
            }
            transaction.commit();
            Await.opened(all);
        }
        assertThat(taken).containsExactlyInAnyOrder("exact", "type", "aggregate", "default");
    }

    private static void note(Queue<String> taken, CountDownLatch all, String who) {
        taken.add(who);
        all.countDown();
    }

    @Test
    void a_type_has_one_listener() {
        OutboxBuilder builder = builder().listener("Paid", IGNORE);
        assertThatThrownBy(() -> builder.listener("Paid", IGNORE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("\"Paid\"");
    }

    @Test
    void a_lease_that_cannot_be_renewed_in_time_is_refused() {
        assertThatThrownBy(() -> builder().claimLocking(Duration.ofMillis(999)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least PT1S, was PT0.999S");
    }

    @Test
    void an_ordered_outbox_needs_leases_also_in_a_single_process() {
        OutboxBuilder both =
                builder(new NamedStore("both_asked")).ordered().singleProcess().listener("Paid", IGNORE);
        assertThatThrownBy(both::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("both_asked")
                .hasMessageContaining("leave out singleProcess()");
        assertThat(NamedThreads.lasting("outbox-dispatcher-both_asked")).isEmpty();
    }

    @Test
    void one_process_at_a_time_needs_a_lock_for_that() {
        OutboxBuilder switched =
                builder(new NamedStore("no_lock")).listener("Paid", IGNORE).switches(OutboxSwitches.from(Map.of()));
        assertThatThrownBy(switched::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("allActive()");
        assertThat(NamedThreads.lasting("outbox-dispatcher-no_lock")).isEmpty();
    }

    @Test
    void without_transactions_of_its_own_it_says_who_begins_them() {
        try (Outbox outbox = builder().build()) {
            assertThatThrownBy(() -> outbox.inTransaction(tx -> {}))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("transactions that others begin");
        }
    }

    @Test
    void hooks_of_the_application_change_and_follow_what_is_written_and_cannot_stop_delivery() {
        List<String> told = new CopyOnWriteArrayList<>();
        CountDownLatch delivered = new CountDownLatch(1);
        WriterHook stamps = new WriterHook() {
            @Override
            public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                return List.of(EventEnvelope.ofJson("Stamped", "{}"));
            }

            @Override
            public void afterCommit(List<EventEnvelope> events) {
                told.add("first heard of " + events.get(0).eventType());
                throw new IllegalStateException("a hook fails");
            }
        };
        WriterHook follows = new WriterHook() {
            @Override
            public void afterCommit(List<EventEnvelope> events) {
                told.add("second heard of " + events.get(0).eventType());
            }
        };
        try (Outbox outbox = builder()
                .listener("Stamped", event -> delivered.countDown())
                .hook(stamps)
                .hook(follows)
                .build()) {
            outbox.write("Paid", "{}");
            transaction.commit();
            Await.opened(delivered);
        }
        assertThat(told).containsExactly("first heard of Stamped", "second heard of Stamped");
    }

    @Test
    void hooks_hear_once_of_a_lost_answer_as_of_a_rollback_unless_they_tell_the_two_apart() {
        List<String> told = new CopyOnWriteArrayList<>();
        WriterHook simple = new WriterHook() {
            @Override
            public void afterRollback(List<EventEnvelope> events) {
                told.add("rolled back");
            }
        };
        WriterHook exact = new WriterHook() {
            @Override
            public void afterRollback(List<EventEnvelope> events) {
                told.add("certainly rolled back");
            }

            @Override
            public void afterUnknown(List<EventEnvelope> events) {
                told.add("unknown");
            }
        };
        try (Outbox outbox =
                builder().defaultListener(event -> {}).hook(simple).hook(exact).build()) {
            outbox.write("Paid", "{}");
            transaction.loseAnswer();
        }
        assertThat(told).containsExactly("rolled back", "unknown");
    }

    @Test
    void dead_events_are_not_reported_as_none_when_the_database_fails() {
        try (Outbox outbox = Outbox.builder(
                        store,
                        () -> {
                            throw new SQLException("gone");
                        },
                        transaction)
                .writerOnly()
                .build()) {
            assertThatThrownBy(() -> outbox.deadEvents().count(null))
                    .isInstanceOf(OutboxException.class)
                    .hasMessage("Cannot count dead events");
            assertThatThrownBy(() -> outbox.deadEvents().query(null, null, 1)).isInstanceOf(OutboxException.class);
            assertThatThrownBy(() -> outbox.deadEvents().replayAll(null, null, 1))
                    .isInstanceOf(OutboxException.class);
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
        Outbox outbox = builder().defaultListener(IGNORE).build();
        assertThat(outbox.isRunning()).isFalse();
        outbox.start();
        outbox.start();
        assertThat(outbox.isRunning()).isTrue();
        outbox.close();
        outbox.close();
        assertThat(outbox.isRunning()).isFalse();

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
                .deadRetention(OutboxPurgeScheduler.DEFAULT_RETENTION)
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
