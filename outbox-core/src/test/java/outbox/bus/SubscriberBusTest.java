package outbox.bus;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.StringEventType;
import outbox.registry.DefaultListenerRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SubscriberBusTest {

    private final EventEnvelope event = EventEnvelope.builder("OrderPlaced")
            .eventId("e1")
            .payloadJson("{\"card\":\"4000-1234-5678\"}")
            .build();
    private final SubscriberBus bus = new SubscriberBus();
    private final List<String> heard = new ArrayList<>();

    @Test
    void every_subscriber_of_the_type_is_called_in_order() {
        bus.subscribe("OrderPlaced", heardBy("stock"));
        bus.subscribe(StringEventType.of("OrderPlaced"), heardBy("mail"));
        bus.subscribe("OrderCancelled", heardBy("refund"));

        bus.publish(event);

        assertThat(heard).containsExactly("stock e1", "mail e1");
    }

    @Test
    void an_event_without_subscriber_is_an_error_of_its_own() {
        bus.subscribe("OrderPlaced", heardBy("stock")).close();
        bus.subscribe("OrderCancelled", heardBy("refund"));

        assertThatExceptionOfType(NoSubscriberException.class)
                .isThrownBy(() -> bus.publish(event))
                .withMessage("No subscriber for event type \"OrderPlaced\"; subscribe before events of that type are"
                        + " published");
        assertThat(heard).isEmpty();
    }

    @Test
    void failures_keep_nobody_from_being_called_and_come_together() {
        Exception first = new Exception("no shelf");
        Error second = new AssertionError("no mail");
        Error third = new StackOverflowError();
        bus.subscribe("OrderPlaced", failing(first));
        bus.subscribe("OrderPlaced", failing(second));
        bus.subscribe("OrderPlaced", failing(third));
        bus.subscribe("OrderPlaced", heardBy("last"));

        assertThatExceptionOfType(SubscribersFailedException.class)
                .isThrownBy(() -> bus.publish(event))
                .withMessage("3 of 4 subscriber(s) of event type \"OrderPlaced\" failed for event e1:"
                        + " java.lang.Exception: no shelf; java.lang.AssertionError: no mail;"
                        + " java.lang.StackOverflowError")
                .satisfies(failed -> {
                    assertThat(failed.getCause()).isSameAs(first);
                    assertThat(failed.getSuppressed()).containsExactly(second, third);
                });
        assertThat(heard).containsExactly("last e1");
    }

    @Test
    void the_message_does_not_repeat_the_payload() {
        bus.subscribe("OrderPlaced", failing(new IllegalStateException("card 4000-1234-5678 refused")));

        assertThatThrownBy(() -> bus.publish(event)).hasMessageEndingWith("IllegalStateException: card *** refused");
    }

    @Test
    void two_subscribers_may_throw_the_same_exception() {
        Exception shared = new Exception("both");
        bus.subscribe("OrderPlaced", failing(shared));
        bus.subscribe("OrderPlaced", failing(shared));

        assertThatThrownBy(() -> bus.publish(event))
                .hasMessageStartingWith("2 of 2")
                .cause()
                .isSameAs(shared);
    }

    @Test
    void a_subscriber_that_was_interrupted_keeps_nobody_from_being_called_and_leaves_the_flag() {
        List<Boolean> flags = new ArrayList<>();
        bus.subscribe("OrderPlaced", failing(new Exception("before")));
        bus.subscribe("OrderPlaced", failing(new InterruptedException()));
        bus.subscribe(
                "OrderPlaced", received -> flags.add(Thread.currentThread().isInterrupted()));
        bus.subscribe("OrderPlaced", received -> Thread.currentThread().interrupt());
        bus.subscribe(
                "OrderPlaced", received -> flags.add(Thread.currentThread().isInterrupted()));
        bus.subscribe("OrderPlaced", heardBy("after"));

        assertThatThrownBy(() -> bus.publish(event)).hasMessageContaining("2 of 6 subscriber(s)");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(flags).containsExactly(false, false);
        assertThat(heard).containsExactly("after e1");
    }

    @Test
    void an_error_of_the_virtual_machine_keeps_nobody_from_being_called_and_is_thrown_then() {
        Exception before = new Exception("before");
        OutOfMemoryError error = new OutOfMemoryError();
        Exception after = new Exception("after");
        bus.subscribe("OrderPlaced", failing(before));
        bus.subscribe("OrderPlaced", failing(error));
        bus.subscribe("OrderPlaced", failing(after));
        bus.subscribe("OrderPlaced", heardBy("last"));

        assertThatThrownBy(() -> bus.publish(event)).isSameAs(error);
        assertThat(error.getSuppressed()).containsExactly(before, after);
        assertThat(heard).containsExactly("last e1");
    }

    @Test
    void each_subscription_ends_alone() {
        EventListener twice = heardBy("twice");
        SubscriberBus.Subscription first = bus.subscribe("OrderPlaced", twice);
        bus.subscribe("OrderPlaced", twice);
        first.close();
        first.close();

        bus.publish(event);

        assertThat(heard).containsExactly("twice e1");
    }

    @Test
    void subscribers_may_come_and_go_while_they_are_called() {
        List<SubscriberBus.Subscription> own = new ArrayList<>();
        own.add(bus.subscribe("OrderPlaced", published -> {
            own.get(0).close();
            bus.subscribe("OrderPlaced", heardBy("late"));
        }));

        bus.publish(event);
        assertThat(heard).isEmpty();
        bus.publish(event);
        assertThat(heard).containsExactly("late e1");
    }

    @Test
    @Timeout(30)
    void no_subscription_gets_lost_among_threads() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> {
                awaitQuietly(start);
                for (int j = 0; j < 250; j++) {
                    bus.subscribe("OrderPlaced", published -> calls.incrementAndGet());
                    bus.subscribe("OrderPlaced", published -> calls.addAndGet(1_000_000))
                            .close();
                }
            });
            thread.start();
            threads.add(thread);
        }
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }

        bus.publish(event);

        assertThat(calls).hasValue(1_000);
    }

    @Test
    void it_is_a_listener_of_the_outbox() throws Exception {
        bus.subscribe("OrderPlaced", heardBy("stock"));
        DefaultListenerRegistry registry = new DefaultListenerRegistry().register("OrderPlaced", bus);

        registry.listenerFor(event.aggregateType(), event.eventType()).onEvent(event);

        assertThat(heard).containsExactly("stock e1");
    }

    @Test
    void nothing_is_named() {
        assertThatNullPointerException()
                .isThrownBy(() -> bus.subscribe((String) null, heardBy("x")))
                .withMessage("eventType");
        assertThatNullPointerException()
                .isThrownBy(() -> bus.subscribe("OrderPlaced", null))
                .withMessage("subscriber");
    }

    private EventListener heardBy(String name) {
        return published -> heard.add(name + " " + published.eventId());
    }

    private static EventListener failing(Throwable failure) {
        return published -> {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (Exception) failure;
        };
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
