package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.ListenerCall;
import outbox.internal.text.EventNames;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.CapturedLog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.event;

class ListenersTest {

    private final List<String> calls = new ArrayList<>();
    private final List<Exception> errorsSeen = new ArrayList<>();

    /** Notes its calls; fails in the phases it is told to. */
    private final class Noting implements EventInterceptor {
        private final String name;
        private final Exception beforeFailure;
        private final RuntimeException afterFailure;

        private Noting(String name, Exception beforeFailure, RuntimeException afterFailure) {
            this.name = name;
            this.beforeFailure = beforeFailure;
            this.afterFailure = afterFailure;
        }

        @Override
        public void beforeDispatch(EventEnvelope event) throws Exception {
            calls.add("before " + name);
            if (beforeFailure != null) {
                throw beforeFailure;
            }
        }

        @Override
        public void afterDispatch(EventEnvelope event, Exception error) {
            calls.add("after " + name);
            errorsSeen.add(error);
            if (afterFailure != null) {
                throw afterFailure;
            }
        }
    }

    @Test
    void interceptors_run_in_order_before_and_in_reverse_after() {
        Throwable failure = deliver(event -> calls.add("listener"), noting("1"), noting("2"), noting("3"));

        assertThat(failure).isNull();
        assertThat(calls)
                .containsExactly("before 1", "before 2", "before 3", "listener", "after 3", "after 2", "after 1");
        assertThat(errorsSeen).containsOnlyNulls().hasSize(3);
    }

    @Test
    void a_failing_before_skips_the_rest_and_the_listener() {
        Exception refusal = new Exception("refused");
        Throwable failure =
                deliver(event -> calls.add("listener"), noting("1"), new Noting("2", refusal, null), noting("3"));

        assertThat(failure).isSameAs(refusal);
        assertThat(calls).containsExactly("before 1", "before 2", "after 3", "after 2", "after 1");
        assertThat(errorsSeen).containsOnly(refusal);
    }

    @Test
    void after_sees_what_the_listener_threw() {
        Exception broken = new Exception("broken");
        Throwable failure = deliver(
                event -> {
                    throw broken;
                },
                noting("1"));

        assertThat(failure).isSameAs(broken);
        assertThat(errorsSeen).containsExactly(broken);
    }

    @Test
    void after_sees_an_error_wrapped_because_it_takes_exceptions_only() {
        LinkageError broken = new LinkageError("broken");
        Throwable failure = deliver(
                event -> {
                    throw broken;
                },
                noting("1"));

        assertThat(failure).isSameAs(broken);
        assertThat(errorsSeen).hasSize(1);
        assertThat(errorsSeen.get(0)).isInstanceOf(ExecutionException.class).hasCause(broken);
    }

    @Test
    void what_after_throws_is_logged_and_changes_nothing() {
        IllegalStateException broken = new IllegalStateException("after is broken");
        try (CapturedLog log = new CapturedLog()) {
            Throwable failure = deliver(event -> {}, noting("1"), new Noting("2", null, broken), noting("3"));

            assertThat(failure).isNull();
            assertThat(calls).endsWith("after 3", "after 2", "after 1");
            assertThat(errorsSeen).containsOnlyNulls();
            assertThat(log.lines()).hasSize(1);
            assertThat(log.lines().get(0).level()).isEqualTo(Level.SEVERE);
            assertThat(log.lines().get(0).thrown()).isSameAs(broken);
        }
    }

    @Test
    void an_event_without_listener_is_unroutable() {
        Listeners delivery = new Listeners(new DefaultListenerRegistry(), List.of(noting("1")), EventNames.PLAIN);
        Throwable failure = deliver(delivery, event("a"));

        assertThat(failure)
                .isInstanceOf(UnroutableEventException.class)
                .hasMessageContaining("__GLOBAL__")
                .hasMessageContaining(TYPE);
        assertThat(errorsSeen).containsExactly((Exception) failure);
    }

    @Test
    void a_registry_that_throws_fails_the_event() {
        IllegalStateException broken = new IllegalStateException("registry is broken");
        Listeners delivery = new Listeners(
                (aggregateType, eventType) -> {
                    throw broken;
                },
                List.of(),
                EventNames.PLAIN);

        assertThat(deliver(delivery, event("a"))).isSameAs(broken);
    }

    @Test
    void aggregate_type_and_event_type_choose_the_listener() {
        DefaultListenerRegistry registry = new DefaultListenerRegistry()
                .register("Order", TYPE, event -> calls.add("order"))
                .register(TYPE, event -> calls.add("global"));
        EventEnvelope order = EventEnvelope.builder(TYPE)
                .aggregateType("Order")
                .payloadJson("{}")
                .build();
        Listeners delivery = new Listeners(registry, List.of(), EventNames.PLAIN);

        assertThat(deliver(delivery, order)).isNull();
        assertThat(deliver(delivery, event("a"))).isNull();
        assertThat(calls).containsExactly("order", "global");
    }

    @Test
    void before_and_after_can_be_given_as_lambdas() {
        Exception refusal = new Exception("refused");
        Throwable failure = deliver(
                event -> {},
                EventInterceptor.before(event -> calls.add("before " + event.eventId())),
                EventInterceptor.after((event, error) -> calls.add("after " + event.eventId() + " " + error)),
                EventInterceptor.before(event -> {
                    throw refusal;
                }));

        assertThat(failure).isSameAs(refusal);
        assertThat(calls).containsExactly("before a", "after a " + refusal);
        assertThatNullPointerException().isThrownBy(() -> EventInterceptor.before(null));
        assertThatNullPointerException().isThrownBy(() -> EventInterceptor.after(null));
    }

    private Noting noting(String name) {
        return new Noting(name, null, null);
    }

    private static Throwable deliver(EventListener listener, EventInterceptor... interceptors) {
        DefaultListenerRegistry registry = new DefaultListenerRegistry().register(TYPE, listener);
        return deliver(new Listeners(registry, List.of(interceptors), EventNames.PLAIN), event("a"));
    }

    private static Throwable deliver(Listeners listeners, EventEnvelope event) {
        return listeners.deliver(
                new PlainDelivery(event),
                ((ListenerCall.Direct) listeners.nobody().call()).listener());
    }
}
