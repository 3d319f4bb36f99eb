package outbox.jdbc.it;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.Delivery;
import outbox.EventEnvelope;
import outbox.HeaderProvider;
import outbox.Listener;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.Outcome;
import outbox.WriterHook;
import outbox.dispatch.EventInterceptor;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** What belongs to the writing thread is there again around the listener, and nowhere else. */
@Timeout(90)
abstract class CarriedHeadersSuite {

    private static final TableName TABLE = TableName.of("carrying_outbox");

    private final ThreadLocal<@Nullable String> user = new ThreadLocal<>();
    private final ThreadLocal<@Nullable String> trace = new ThreadLocal<>();
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private final Queue<String> around = new ConcurrentLinkedQueue<>();
    private final ExecutorService pool = Executors.newFixedThreadPool(2);

    abstract TestedDatabase database();

    @BeforeEach
    @AfterEach
    void dropTables() {
        for (String behind : List.of("_node", "_pause")) {
            Tables.drop(database().pool(), TABLE.beside(behind));
        }
        Tables.drop(database().pool(), TABLE);
        user.remove();
        trace.remove();
    }

    @AfterEach
    void endPool() {
        pool.shutdownNow();
    }

    private OutboxBuilder describe() {
        EventInterceptor noting = new EventInterceptor() {
            @Override
            public void beforeDispatch(EventEnvelope event) {
                around.add("before " + current());
            }

            @Override
            public void afterDispatch(EventEnvelope event, @Nullable Exception error) {
                around.add("after " + current());
            }
        };
        return JdbcOutbox.builder(database().pool(), TABLE)
                .createTable()
                .poller(settings -> settings.intervalMs(50))
                .dispatcher(settings -> settings.workerCount(1).interceptor(noting))
                .headerProvider(HeaderProvider.ofThreadLocal("user", user))
                .headerProvider(HeaderProvider.ofThreadLocal("trace", trace));
    }

    private String current() {
        return user.get() + "/" + trace.get();
    }

    private void see(String id) {
        seen.add(id + " " + current());
    }

    private static Outbox started(OutboxBuilder builder) {
        Outbox outbox = builder.build();
        outbox.start();
        return outbox;
    }

    private void writeAs(Outbox outbox, @Nullable String who, String id) {
        user.set(who);
        outbox.inTransaction(tx -> {
            outbox.write("Done", id, "{}");
        });
        user.remove();
    }

    private void awaitSeen(int count) {
        awaitThat(() -> seen.size() >= count);
    }

    private void awaitThat(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() < end).as("in time; seen: %s", seen).isTrue();
            Thread.onSpinWait();
        }
    }

    @Test
    void on_the_hot_and_the_cold_path_and_for_every_event_its_own() {
        try (Outbox writer = describe().writerOnly().build()) {
            trace.set("t1");
            writeAs(writer, "ann", "cold");
            trace.remove();
        }
        try (Outbox outbox = started(describe().listener("Done", event -> see(event.aggregateId())))) {
            awaitSeen(1);
            writeAs(outbox, "bob", "hot");
            writeAs(outbox, null, "nobody's");
            awaitSeen(3);
        }
        assertThat(seen).containsExactly("cold ann/t1", "hot bob/null", "nobody's null/null");
        assertThat(around)
                .containsExactly(
                        "before ann/t1",
                        "after ann/t1",
                        "before bob/null",
                        "after bob/null",
                        "before null/null",
                        "after null/null");
    }

    @Test
    void what_the_code_sets_itself_counts_and_so_does_what_a_hook_makes() {
        WriterHook renaming = new WriterHook() {
            @Override
            public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                return events.stream()
                        .map(event -> event.withHeaders(Map.of("trace", "of the hook")))
                        .toList();
            }
        };
        Queue<Map<String, @Nullable String>> headers = new ConcurrentLinkedQueue<>();
        try (Outbox outbox =
                started(describe().hook(renaming).listener("Done", event -> headers.add(event.headers())))) {
            trace.set("of the thread");
            writeAs(outbox, "ann", "1");
            awaitThat(() -> headers.size() == 1);
        }
        assertThat(headers).containsExactly(Map.of("trace", "of the hook", "user", "ann"));
    }

    @Test
    void of_joined_transactions_too() throws Exception {
        try (Outbox outbox = started(describe().listener("Done", event -> see(event.aggregateId())));
                Connection connection = database().pool().getConnection()) {
            connection.setAutoCommit(false);
            user.set("ann");
            outbox.on(connection).write("Done", "joined", "{}");
            connection.commit();
            connection.setAutoCommit(true);
            awaitSeen(1);
        }
        assertThat(seen).containsExactly("joined ann/null");
    }

    @Test
    void around_the_call_of_an_async_listener_and_where_its_stage_carries_it_on() {
        Listener async = Listener.async((event, delivery) -> {
            see("call of " + event.aggregateId());
            return CompletableFuture.supplyAsync(() -> current() + " without a word", pool)
                    .thenCompose(plain -> CompletableFuture.supplyAsync(
                            delivery.withHeaders(() -> {
                                seen.add(plain);
                                see("stage of " + event.aggregateId());
                                return Outcome.done();
                            }),
                            pool));
        });
        try (Outbox outbox = started(describe().listener("Done", async))) {
            writeAs(outbox, "ann", "1");
            awaitThat(() -> around.size() == 2);
        }
        assertThat(seen).containsExactly("call of 1 ann/null", "null/null without a word", "stage of 1 ann/null");
        assertThat(around).containsExactly("before ann/null", "after ann/null");
        for (int i = 0; i < 4; i++) {
            assertThat(CompletableFuture.supplyAsync(this::current, pool))
                    .succeedsWithin(Duration.ofSeconds(10))
                    .isEqualTo("null/null");
        }
    }

    @Test
    void for_each_event_of_a_batch_that_asks_for_it() {
        Listener batch = Listener.batch(2, Duration.ofSeconds(30), all -> {
            for (Delivery delivery : all) {
                HeaderProvider.Scope restored = delivery.restoreHeaders();
                try {
                    see(String.valueOf(delivery.event().aggregateId()));
                } finally {
                    restored.close();
                }
            }
            see("after all");
            return Outcome.allDone(all);
        });
        try (Outbox outbox = started(describe().listener("Done", batch))) {
            writeAs(outbox, "ann", "1");
            writeAs(outbox, "bob", "2");
            awaitThat(() -> around.size() == 4);
        }
        assertThat(seen).containsExactly("1 ann/null", "2 bob/null", "after all null/null");
        assertThat(around).containsExactly("before ann/null", "before bob/null", "after ann/null", "after bob/null");
    }

    @Test
    void a_listener_is_not_called_without_what_cannot_be_restored_and_nothing_is_left_on_the_thread() {
        AtomicInteger tries = new AtomicInteger();
        HeaderProvider failing = HeaderProvider.of("bad", () -> "x", value -> {
            if (tries.incrementAndGet() < 3) {
                throw new IllegalStateException("no such tenant");
            }
            return HeaderProvider.Scope.NONE;
        });
        Listener listener = Listener.of((EventEnvelope event) -> see(String.valueOf(event.aggregateId())))
                .retryPolicy(attempts -> 0);
        try (Outbox outbox = started(describe().headerProvider(failing).listener("Done", listener))) {
            writeAs(outbox, "ann", "1");
            awaitSeen(1);
        }
        assertThat(tries).hasValue(3);
        assertThat(seen).containsExactly("1 ann/null");
        assertThat(around).containsExactly("before ann/null", "after ann/null");
        assertThat(Tables.select(database().pool(), "SELECT attempts FROM " + TABLE))
                .containsExactly("2");
    }

    @Test
    void what_cannot_be_asked_for_fails_the_write() {
        HeaderProvider failing = HeaderProvider.of(
                "bad",
                () -> {
                    throw new IllegalStateException("no tenant on this thread");
                },
                value -> HeaderProvider.Scope.NONE);
        try (Outbox outbox = describe().headerProvider(failing).writerOnly().build()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> writeAs(outbox, "ann", "1"))
                    .withMessage("no tenant on this thread");
        }
        assertThat(Tables.select(database().pool(), "SELECT event_id FROM " + TABLE))
                .isEmpty();
    }
}
