package outbox.jdbc.it;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.Listener;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;
import outbox.model.Pause;
import outbox.model.PauseTarget;
import outbox.spi.MissingPauseTableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What is paused, in one process and in all of them. */
@Timeout(90)
abstract class PauseSuite {

    private static final TableName TABLE = TableName.of("paused_outbox");
    private static final PauseTarget PAUSED = PauseTarget.eventType("Paused");

    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();

    abstract TestedDatabase database();

    @BeforeEach
    void dropTables() {
        for (String behind : List.of("_node", "_pause")) {
            Tables.drop(database().pool(), TABLE.beside(behind));
        }
        Tables.drop(database().pool(), TABLE);
    }

    private OutboxBuilder describe(String process, DataSource dataSource) {
        Listener noting = Listener.of((EventEnvelope event) -> {
            delivered.add(process + event.aggregateId());
        });
        return JdbcOutbox.builder(dataSource, TABLE)
                .createTable()
                .poller(settings -> settings.intervalMs(50))
                .listener("Paused", noting.named("paused"))
                .listener("Other", noting.named("other"));
    }

    private Outbox started(String process, UnaryOperator<OutboxBuilder> settings) {
        Outbox outbox = settings.apply(describe(process, database().pool())).build();
        outbox.start();
        return outbox;
    }

    private Outbox writer() {
        return JdbcOutbox.builder(database().pool(), TABLE)
                .createTable()
                .writerOnly()
                .build();
    }

    private static void write(Outbox outbox, String type, String... ids) {
        for (String id : ids) {
            outbox.inTransaction(tx -> {
                outbox.write(type, id, "{}");
            });
        }
    }

    private void awaitDelivered(String... names) {
        awaitThat(() -> List.of(names).stream()
                .allMatch(name ->
                        delivered.stream().anyMatch(one -> one.substring(1).equals(name))));
    }

    private void awaitThat(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() < end)
                    .as("in time; delivered: %s", delivered)
                    .isTrue();
            Thread.onSpinWait();
        }
    }

    private List<String> rowsOf(String type) {
        return Tables.select(
                database().pool(),
                "SELECT CONCAT(status, '|', attempts) FROM " + TABLE + " WHERE event_type = '" + type + "'");
    }

    private List<String> pauseRows() {
        return Tables.select(
                database().pool(),
                "SELECT CONCAT(kind, '|', name, '|', reason, '|', paused_by) FROM " + TABLE + "_pause");
    }

    @ParameterizedTest
    @EnumSource(PauseTarget.Kind.class)
    void what_is_paused_for_all_waits_in_every_process_also_after_a_restart(PauseTarget.Kind kind) {
        PauseTarget target = kind == PauseTarget.Kind.OUTBOX
                ? PauseTarget.outbox()
                : new PauseTarget(kind, kind == PauseTarget.Kind.LISTENER ? "paused" : "Paused");
        try (Outbox operator = writer()) {
            operator.pauses().everywhere(target, "stocktaking", "ann");
            try (Outbox a = started("a", settings -> settings);
                    Outbox b = started("b", settings -> settings)) {
                write(a, "Paused", "1", "2");
                write(b, "Paused", "3");
                write(operator, "Paused", "4", "5");
                if (kind != PauseTarget.Kind.OUTBOX) {
                    write(a, "Other", "x");
                    write(operator, "Other", "y");
                    awaitDelivered("x", "y");
                } else {
                    awaitThat(() -> a.health().warnings().stream().anyMatch(told -> told.contains("stocktaking")));
                    write(a, "Other", "x", "y");
                }
            }
            try (Outbox again = started("c", settings -> settings)) {
                write(again, "Paused", "6");
                write(again, "Other", "z");
                awaitThat(() -> again.health().warnings().stream().anyMatch(told -> told.contains("by ann since")));
                assertThat(delivered.stream().map(name -> name.substring(1)))
                        .doesNotContain("1", "2", "3", "4", "5", "6");
                assertThat(rowsOf("Paused")).hasSize(6).containsOnly("0|0");

                assertThat(operator.pauses().resumeEverywhere(target)).isTrue();
                assertThat(operator.pauses().resumeEverywhere(target)).isFalse();
                awaitDelivered("1", "2", "3", "4", "5", "6", "x", "y", "z");
            }
        }
        assertThat(delivered).hasSize(9);
        assertThat(rowsOf("Paused")).containsOnly("1|0");
    }

    @Test
    void a_process_that_is_busy_heeds_it_as_well() {
        try (Outbox operator = writer();
                Outbox a = started("a", settings -> settings)) {
            write(a, "Paused", "1");
            awaitDelivered("1");
            operator.pauses().everywhere(PAUSED, "stocktaking", "ann");
            int[] next = {2};
            awaitThat(() -> {
                write(a, "Paused", Integer.toString(next[0]++));
                return !a.health().warnings().isEmpty();
            });
            int before = delivered.size();
            write(a, "Paused", "last");
            write(a, "Other", "other");
            awaitDelivered("other");

            assertThat(delivered).hasSize(before + 1);
            operator.pauses().resumeEverywhere(PAUSED);
            awaitDelivered("last");
            assertThat(delivered).doesNotHaveDuplicates();
        }
    }

    @Test
    void with_order_what_lies_behind_a_paused_event_waits_too_and_other_keys_do_not() {
        try (Outbox a = started("a", OutboxBuilder::ordered)) {
            a.pauses().everywhere(PAUSED, "stocktaking", "ann");
            a.inTransaction(tx -> {
                keyed(a, "Paused", "k", "1");
                keyed(a, "Other", "k", "2");
                keyed(a, "Paused", "k", "3");
            });
            a.inTransaction(tx -> keyed(a, "Other", "l", "4"));
            awaitThat(() -> order("l").equals(List.of("4")));
            assertThat(order("k")).isEmpty();
            a.pauses().resumeEverywhere(PAUSED);

            awaitThat(() -> order("k").size() == 3);
            assertThat(order("k")).containsExactly("1", "2", "3");
        }
    }

    private void keyed(Outbox outbox, String type, String key, String id) {
        outbox.write(EventEnvelope.builder(type)
                .aggregateType("Thing")
                .aggregateId(key)
                .eventId(TABLE + id)
                .payloadJson("{}")
                .build());
    }

    /** The ids of the delivered events of a key. */
    private List<String> order(String key) {
        return Tables.select(
                        database().pool(),
                        "SELECT event_id FROM " + TABLE + " WHERE status = 1 AND aggregate_id = '" + key
                                + "' ORDER BY done_at, seq")
                .stream()
                .map(id -> id.substring(TABLE.toString().length()))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(PauseTarget.Kind.class)
    void what_is_paused_here_goes_to_others(PauseTarget.Kind kind) {
        PauseTarget target = kind == PauseTarget.Kind.OUTBOX
                ? PauseTarget.outbox()
                : new PauseTarget(kind, kind == PauseTarget.Kind.LISTENER ? "paused" : "Paused");
        try (Outbox a = started("a", settings -> settings)) {
            a.pauses().here(target, "maintenance");
            write(a, "Paused", "1", "2", "3");
            assertThat(a.pauses().list()).extracting(Pause::target).containsExactly(target);
            assertThat(a.pauses().list()).noneMatch(Pause::isEverywhere);
            assertThat(delivered).isEmpty();
            try (Outbox b = started("b", settings -> settings)) {
                awaitDelivered("1", "2", "3");
                assertThat(delivered).containsExactlyInAnyOrder("b1", "b2", "b3");
                assertThat(b.pauses().list()).isEmpty();
            }
            write(a, "Paused", "4");
            assertThat(a.pauses().resumeHere(target)).isTrue();
            awaitDelivered("4");
            write(a, "Paused", "5");
            awaitDelivered("5");
        }
        assertThat(delivered).hasSize(5);
    }

    @Test
    void a_single_process_can_be_paused_too() {
        try (Outbox a = started("a", OutboxBuilder::singleProcess)) {
            a.pauses().everywhere(PAUSED, "stocktaking", "ann");
            write(a, "Paused", "1", "2");
            write(a, "Other", "x");
            awaitDelivered("x");
            a.pauses().resumeEverywhere(PAUSED);
            awaitDelivered("1", "2");
        }
        assertThat(delivered).containsExactlyInAnyOrder("ax", "a1", "a2");
    }

    @Test
    void who_has_paused_what_and_why_can_be_changed_and_listed() {
        try (Outbox operator = writer()) {
            operator.pauses().everywhere(PAUSED, "stocktaking", "ann");
            operator.pauses().everywhere(PAUSED, "a bug \uD83D\uDC1B", "bob");
            operator.pauses().everywhere(PauseTarget.eventType("paused"), "another type", "ann");

            assertThat(operator.pauses().list())
                    .extracting(pause -> pause.target().name() + " " + pause.reason() + " " + pause.who())
                    .containsExactlyInAnyOrder("Paused a bug \uD83D\uDC1B bob", "paused another type ann");
            assertThat(operator.pauses().list()).allMatch(Pause::isEverywhere);
            operator.pauses().resumeEverywhere(PAUSED);
            assertThat(pauseRows()).containsExactly("EVENT_TYPE|paused|another type|ann");
        }
    }

    @Test
    void two_that_pause_the_same_at_once_both_succeed() throws Exception {
        int threads = 4;
        CyclicBarrier together = new CyclicBarrier(threads);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (Outbox operator = writer()) {
            List<Callable<Boolean>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                String who = "operator " + i;
                all.add(() -> {
                    together.await();
                    operator.pauses().everywhere(PAUSED, "stocktaking", who);
                    return true;
                });
            }
            for (Future<Boolean> one : pool.invokeAll(all)) {
                assertThat(one.get()).isTrue();
            }
            assertThat(pauseRows()).hasSize(1);
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void an_idle_process_asks_nothing_and_a_busy_one_once_in_a_while() {
        describe("a", database().pool()).build().close();
        CountedStatements ofPauses = new CountedStatements(database().pool(), TABLE + "_pause");
        CountedStatements ofEvents = new CountedStatements(ofPauses.dataSource(), TABLE.toString());
        try (Outbox a = describe("a", ofEvents.dataSource()).build()) {
            a.start();
            ofPauses.take();
            ofEvents.take();
            List<String> polls = new ArrayList<>();
            awaitThat(() -> polls.addAll(ofEvents.take()) && polls.size() > 4);
            assertThat(ofPauses.take()).isEmpty();

            long begun = System.nanoTime();
            for (int i = 0; i < 100; i++) {
                write(a, "Other", "e" + i);
            }
            awaitDelivered("e99");
            awaitThat(() -> delivered.size() == 100);
            Duration taken = Duration.ofNanos(System.nanoTime() - begun);
            assertThat(ofPauses.take()).hasSizeLessThanOrEqualTo((int) (2 + taken.toSeconds() / 2));
        }
    }

    @Test
    void without_the_table_all_is_delivered_and_who_wants_to_pause_is_told_the_script() {
        describe("a", database().pool()).build().close();
        Tables.drop(database().pool(), TABLE.beside("_pause"));
        try (Outbox a = JdbcOutbox.builder(database().pool(), TABLE)
                .listener("Other", event -> delivered.add("a" + event.aggregateId()))
                .build()) {
            a.start();
            write(a, "Other", "1");
            awaitDelivered("1");

            assertThatExceptionOfType(MissingPauseTableException.class)
                    .isThrownBy(() -> a.pauses().everywhere(PAUSED, "stocktaking", "ann"))
                    .withMessageContaining("paused_outbox_pause")
                    .withMessageContaining("V688269.1.07__outbox_pauses.sql");
            assertThat(a.pauses().list()).isEmpty();
        }
    }
}
