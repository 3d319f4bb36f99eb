package outbox.boot;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.Outcome;
import outbox.PermanentFailureException;
import outbox.boot.shop.Heard;
import outbox.boot.shop.OrderPlaced;
import outbox.boot.shop.Orders;
import outbox.boot.shop.Shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Several listeners of one type: each group has attempts, times and an end of its own. */
class GroupsTest {

    /** What the groups are to do; shared because the context makes the beans. */
    static class Plan {

        private final Map<String, Integer> failures = new ConcurrentHashMap<>();

        boolean fails(String group) {
            return failures.computeIfPresent(group, (name, left) -> left - 1) != null && failures.get(group) >= 0;
        }
    }

    static class Stock {

        private final Heard heard;
        private final Plan plan;
        private final JdbcTemplate jdbc;

        Stock(Heard heard, Plan plan, JdbcTemplate jdbc) {
            this.heard = heard;
            this.plan = plan;
            this.jdbc = jdbc;
            jdbc.execute("CREATE TABLE IF NOT EXISTS stock (id VARCHAR(50))");
        }

        @OutboxListener(group = "stock", maxAttempts = 3, firstRetry = "1ms", longestRetry = "5ms")
        void reserve(OrderPlaced event) {
            jdbc.update("INSERT INTO stock (id) VALUES (?)", event.orderId());
            heard.add("stock");
            if (plan.fails("stock")) {
                throw new IllegalStateException("no stock");
            }
        }

        @OutboxListener(group = "mail", transaction = false, maxAttempts = 2, firstRetry = "1ms", longestRetry = "5ms")
        void confirm(OrderPlaced event) {
            heard.add("mail");
            if (plan.fails("mail")) {
                throw new IllegalStateException("no mail server");
            }
        }
    }

    private static final Map<String, Supplier<ApplicationContextRunner>> DATABASES = Map.of(
            "H2",
            () -> Shop.onH2(Plan.class, Stock.class),
            "PostgreSQL",
            () -> Shop.onPostgresql(Plan.class, Stock.class));

    private static Stream<DynamicTest> onEach(java.util.function.Consumer<AssertableApplicationContext> test) {
        return DATABASES.entrySet().stream()
                .map(database -> DynamicTest.dynamicTest(
                        database.getKey(),
                        () -> database.getValue()
                                .get()
                                .withPropertyValues("outbox.relay.poll-interval=50ms")
                                .run(test::accept)));
    }

    @TestFactory
    Stream<DynamicTest> each_group_gets_the_event_and_only_the_one_that_fails_is_called_again() {
        return onEach(context -> {
            context.getBean(Plan.class).failures.put("stock", 2);
            context.getBean(Orders.class).place("1");

            awaitStatus(context, 1);
            List<Object> calls = context.getBean(Heard.class).rest();
            assertThat(calls).filteredOn("mail"::equals).hasSize(1);
            assertThat(calls).filteredOn("stock"::equals).hasSize(3);
            DataSource dataSource = context.getBean(DataSource.class);
            assertThat(Shop.count(dataSource, "stock"))
                    .as("the work of failed attempts is undone")
                    .isEqualTo(1);
            assertThat(Shop.count(dataSource, "event_consume_record WHERE status = 1"))
                    .isEqualTo(2);
            assertThat(Shop.count(dataSource, "outbox_event WHERE attempts > 0"))
                    .as("attempts of the event")
                    .isZero();
        });
    }

    @TestFactory
    Stream<DynamicTest> a_group_that_gives_up_makes_the_event_dead_and_a_replay_is_for_it_alone() {
        return onEach(context -> {
            context.getBean(Plan.class).failures.put("stock", 3);
            context.getBean(Orders.class).place("1");

            awaitStatus(context, 3);
            String error = new JdbcTemplate(context.getBean(DataSource.class))
                    .queryForObject("SELECT last_error FROM outbox_event", String.class);
            assertThat(error).contains("group stock:", "no stock").doesNotContain("mail");

            context.getBean(Outbox.class).deadEvents().replayAll(null, null, 10);
            awaitStatus(context, 1);
            List<Object> calls = context.getBean(Heard.class).rest();
            assertThat(calls).filteredOn("mail"::equals).hasSize(1);
            assertThat(calls).filteredOn("stock"::equals).hasSize(4);
        });
    }

    @Test
    void a_dead_group_is_not_called_while_another_one_still_tries() {
        Shop.onH2(Plan.class, Stock.class)
                .withPropertyValues("outbox.relay.poll-interval=50ms")
                .run(context -> {
                    context.getBean(Plan.class).failures.putAll(Map.of("mail", 100, "stock", 2));
                    context.getBean(Orders.class).place("1");
                    awaitStatus(context, 3);
                    List<Object> calls = context.getBean(Heard.class).rest();
                    assertThat(calls).filteredOn("mail"::equals).hasSize(2);
                    assertThat(calls).filteredOn("stock"::equals).hasSize(3);
                    assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                                    .queryForObject(
                                            "SELECT status FROM event_consume_record WHERE consumer_group = 'mail'",
                                            Integer.class))
                            .as("FAILED again, with all its retries")
                            .isEqualTo(2);
                });
    }

    static class Decided {

        private final Heard heard;

        Decided(Heard heard) {
            this.heard = heard;
        }

        @OutboxListener(group = "never")
        void never(OrderPlaced event) {
            heard.add("never");
            throw new PermanentFailureException("no such customer");
        }

        @OutboxListener(group = "outcome")
        Outcome outcome(OrderPlaced event) {
            heard.add("outcome");
            return heard.rest().stream().filter("outcome"::equals).count() < 2
                    ? Outcome.retryAfter(java.time.Duration.ofMillis(20), "at night")
                    : Outcome.done();
        }
    }

    @Test
    void a_group_may_end_at_once_or_say_when_it_is_to_be_tried_again() {
        Shop.onH2(Decided.class).run(context -> {
            context.getBean(Orders.class).place("1");
            awaitStatus(context, 3);
            assertThat(context.getBean(Heard.class).rest()).containsExactlyInAnyOrder("never", "outcome", "outcome");
        });
    }

    private static void awaitStatus(AssertableApplicationContext context, int status) {
        await().until(() ->
                Shop.count(context.getBean(DataSource.class), "outbox_event WHERE status = " + status) == 1);
    }

    @Test
    void a_missing_table_names_its_script_at_the_start() {
        Shop.onH2(Plan.class, Stock.class)
                .withPropertyValues("outbox.schema.initialize=never")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("event_consume_record")
                        .hasStackTraceContaining("inbox-schema/h2.sql"));
    }

    static class GroupAndBatch {
        @OutboxListener(group = "a")
        void method(List<OrderPlaced> events) {}
    }

    static class GroupAndTimeout {
        @OutboxListener(value = "A", group = "a", timeout = "1s")
        void method() {}
    }

    static class SameGroup {
        @OutboxListener(value = "A", group = "a")
        void method() {}

        @OutboxListener(value = "A", group = "a")
        void other() {}
    }

    static class OneWithoutGroup {
        @OutboxListener(value = "A", group = "a")
        void other() {}

        @OutboxListener("A")
        void method() {}
    }

    static class Overlapping {
        @OutboxListener(value = "A", group = "a")
        void method(EventEnvelope event) {}

        @OutboxListener(value = "A", aggregateType = "Order", group = "b")
        void other() {}
    }

    private static Stream<Arguments> unusable() {
        return Stream.of(
                Arguments.of(GroupAndBatch.class, "take no List and return no CompletionStage"),
                Arguments.of(
                        GroupAndTimeout.class,
                        "timeout, expiresAfter and concurrency are not for a listener with a group"),
                Arguments.of(SameGroup.class, "there is another listener of group \"a\""),
                Arguments.of(OneWithoutGroup.class, "this one names no group"),
                Arguments.of(Overlapping.class, "are partly the same"));
    }

    @ParameterizedTest
    @MethodSource("unusable")
    void groups_that_cannot_work_stop_the_start(Class<?> listener, String problem) {
        Shop.onH2(listener)
                .run(context -> assertThat(Shop.cause(context))
                        .isInstanceOf(InvalidOutboxException.class)
                        .hasMessageContaining(listener.getSimpleName() + ".")
                        .hasMessageContaining(problem));
    }
}
