package outbox.boot;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.Delivery;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.Outcome;
import outbox.boot.shop.Heard;
import outbox.boot.shop.OrderPlaced;
import outbox.boot.shop.Shop;

import static org.assertj.core.api.Assertions.assertThat;

class ListenerMethodsTest {

    private static void write(AssertableApplicationContext context, EventEnvelope... events) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(
                        status -> context.getBean(OutboxWriter.class).writeAll(List.of(events)));
    }

    private static EventEnvelope event(String type, String payload) {
        return EventEnvelope.builder(type)
                .aggregateType("Order")
                .aggregateId("7")
                .headers(Map.of("trace", "abc"))
                .payloadJson(payload)
                .build();
    }

    static class Everything {

        private final Heard heard;
        private final AtomicInteger calls = new AtomicInteger();

        Everything(Heard heard) {
            this.heard = heard;
        }

        @OutboxListener("Parameters")
        void parameters(
                @Header("trace") String trace,
                OrderPlaced order,
                EventEnvelope event,
                Delivery delivery,
                @Header Map<String, String> headers,
                @Header(value = "none", required = false) String none) {
            heard.add(List.of(
                    trace, order.orderId(), event.eventType(), delivery.attempt(), headers, String.valueOf(none)));
        }

        @OutboxListener({"Text", "${shop.other-type}"})
        void text(String payload) {
            heard.add(payload);
        }

        @OutboxListener("Bytes")
        void bytes(byte[] payload) {
            heard.add(payload.length);
        }

        @OutboxListener(aggregateType = "Order", id = "rest-of-orders")
        void ofAggregate(EventEnvelope event) {
            heard.add("aggregate " + event.eventType());
        }

        @OutboxListener(value = "Outcome", firstRetry = "1ms", longestRetry = "5ms")
        Outcome outcome() {
            return calls.incrementAndGet() < 3 ? Outcome.retry("not yet") : dead();
        }

        private Outcome dead() {
            heard.add("third call");
            return Outcome.dead("never");
        }

        @OutboxListener(value = "Async", timeout = "10s", concurrency = 3)
        CompletionStage<String> async(String payload) {
            return CompletableFuture.supplyAsync(() -> {
                heard.add("async " + payload);
                return "whatever";
            });
        }

        @OutboxListener(value = "Batch", batchSize = 10, batchLinger = "200ms")
        List<Outcome> batch(List<OrderPlaced> orders) {
            heard.add(orders.stream().map(OrderPlaced::orderId).sorted().toList());
            return orders.stream().map(order -> Outcome.done()).toList();
        }

        @OutboxListener("Transactional")
        @Transactional
        void transactional() {
            heard.add(TransactionSynchronizationManager.isActualTransactionActive());
        }
    }

    @Test
    void every_parameter_and_every_return_type_works_through_a_proxy() {
        Shop.onH2(Everything.class).withPropertyValues("shop.other-type=Other").run(context -> {
            assertThat(context).hasNotFailed();
            Heard heard = context.getBean(Heard.class);
            assertThat(context.getBean(Everything.class).getClass()).isNotEqualTo(Everything.class);

            write(context, event("Parameters", "{\"orderId\":\"7\",\"total\":1,\"unknown\":2}"));
            assertThat(heard.next()).isEqualTo(List.of("abc", "7", "Parameters", 1, Map.of("trace", "abc"), "null"));
            write(context, event("Text", "\"raw\""));
            assertThat(heard.next()).isEqualTo("\"raw\"");
            write(context, event("Other", "1"));
            assertThat(heard.next()).isEqualTo("1");
            write(context, event("Bytes", "123"));
            assertThat(heard.next()).isEqualTo(3);
            write(context, event("Unheard", "{}"));
            assertThat(heard.next()).isEqualTo("aggregate Unheard");
            write(context, event("Async", "4"));
            assertThat(heard.next()).isEqualTo("async 4");
            write(context, event("Transactional", "{}"));
            assertThat(heard.next()).isEqualTo(true);
        });
    }

    @Test
    void an_outcome_decides_and_a_payload_or_header_that_cannot_be_read_is_the_end() {
        Shop.onH2(Everything.class).withPropertyValues("shop.other-type=Other").run(context -> {
            write(context, event("Outcome", "{}"));
            assertThat(context.getBean(Heard.class).next()).isEqualTo("third call");
            assertThat(deadAfter(context, "Outcome")).contains("never");

            write(context, event("Parameters", "[]"));
            assertThat(deadAfter(context, "Parameters"))
                    .contains("the payload cannot be read as " + OrderPlaced.class.getName());

            EventEnvelope bare = EventEnvelope.builder("Parameters")
                    .payloadJson("{\"orderId\":\"7\"}")
                    .headers(Map.of())
                    .build();
            new JdbcTemplate(context.getBean(DataSource.class)).update("DELETE FROM outbox_event");
            write(context, bare);
            assertThat(deadAfter(context, "Parameters")).contains("no header \"trace\"");
        });
    }

    private static String deadAfter(AssertableApplicationContext context, String type) {
        JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
        org.awaitility.Awaitility.await()
                .until(() -> jdbc.queryForObject(
                                "SELECT COUNT(*) FROM outbox_event WHERE event_type = ? AND status = 3",
                                Integer.class,
                                type)
                        == 1);
        return jdbc.queryForObject(
                "SELECT last_error FROM outbox_event WHERE event_type = ? AND status = 3", String.class, type);
    }

    @Test
    void a_batch_comes_as_a_list_and_what_cannot_be_read_does_not_harm_the_rest() {
        Shop.onH2(Everything.class).withPropertyValues("shop.other-type=Other").run(context -> {
            write(
                    context,
                    event("Batch", "{\"orderId\":\"1\"}"),
                    event("Batch", "[]"),
                    event("Batch", "{\"orderId\":\"2\"}"));
            Heard heard = context.getBean(Heard.class);
            assertThat(heard.next()).isEqualTo(List.of("1", "2"));
            assertThat(deadAfter(context, "Batch")).isNotNull();
        });
    }

    static class SaysNothing {
        @OutboxListener
        void method(EventEnvelope event) {}
    }

    static class ReturnsANumber {
        @OutboxListener("A")
        int method() {
            return 1;
        }
    }

    static class TwoPayloads {
        @OutboxListener("A")
        void method(String text, OrderPlaced order) {}
    }

    static class RawList {
        @OutboxListener("A")
        @SuppressWarnings("rawtypes")
        void method(List all) {}
    }

    static class WrongTime {
        @OutboxListener(value = "A", timeout = "soon")
        void method() {}
    }

    static class FinalMethod {
        @OutboxListener("A")
        @Transactional
        public final void method() {}

        @Transactional
        public void other() {}
    }

    static class PrivateMethod {
        @OutboxListener("A")
        @SuppressWarnings("UnusedMethod")
        private void method() {}

        @Transactional
        public void other() {}
    }

    static class SameType {
        @OutboxListener("A")
        void method() {}

        @OutboxListener("A")
        void other() {}
    }

    static class SameId {
        @OutboxListener(value = "A", id = "SameId.method")
        void other() {}

        @OutboxListener("B")
        void method() {}
    }

    static class UnknownOutbox {
        @OutboxListener(value = "A", outbox = "missing")
        void method() {}
    }

    static class NamelessHeader {
        @OutboxListener("A")
        void method(@Header String header) {}
    }

    private static Stream<Arguments> unusable() {
        return Stream.of(
                Arguments.of(SaysNothing.class, "does not say which events it takes"),
                Arguments.of(ReturnsANumber.class, "it returns int"),
                Arguments.of(TwoPayloads.class, "two parameters for the payload"),
                Arguments.of(RawList.class, "a List without a type"),
                Arguments.of(WrongTime.class, "timeout must be a time such as 500ms, 30s or 2h, was \"soon\""),
                Arguments.of(FinalMethod.class, "cannot pass on calls of a final method"),
                Arguments.of(PrivateMethod.class, "the bean is a proxy, which does not have this method"),
                Arguments.of(SameType.class, "events of A have several listeners"),
                Arguments.of(SameId.class, "there is another listener called SameId.method"),
                Arguments.of(UnknownOutbox.class, "there is no outbox named \"missing\""),
                Arguments.of(NamelessHeader.class, "a @Header is a String with a name"));
    }

    @ParameterizedTest
    @MethodSource("unusable")
    void a_method_that_cannot_be_used_stops_the_start_and_is_named(Class<?> listener, String problem) {
        Shop.onH2(listener)
                .run(context -> assertThat(Shop.cause(context))
                        .isInstanceOf(InvalidOutboxException.class)
                        .hasMessageContaining(problem)
                        .message()
                        .matches(message ->
                                listener == UnknownOutbox.class || message.contains(listener.getSimpleName() + ".")));
    }
}
