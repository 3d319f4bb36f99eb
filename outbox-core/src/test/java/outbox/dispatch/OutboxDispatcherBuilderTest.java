package outbox.dispatch;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Events;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static outbox.testsupport.Events.hot;

class OutboxDispatcherBuilderTest {

    private final OutboxDispatcher.Builder builder = OutboxDispatcher.builder();

    @Test
    void three_parts_are_required() {
        assertThatNullPointerException().isThrownBy(builder::build).withMessage("connectionProvider is required");
        builder.connectionProvider(StubConnections.autoCommitting());
        assertThatNullPointerException().isThrownBy(builder::build).withMessage("outboxStore is required");
        builder.outboxStore(new RecordingStore());
        assertThatNullPointerException().isThrownBy(builder::build).withMessage("listenerRegistry is required");
        builder.listenerRegistry(new DefaultListenerRegistry());
        try (OutboxDispatcher dispatcher = builder.build()) {
            assertThat(dispatcher.coldQueueRemainingCapacity()).isEqualTo(1000);
        }
    }

    @Test
    void defaults_are_those_of_the_specification() {
        assertThat(OutboxDispatcher.DEFAULT_WORKER_COUNT).isEqualTo(4);
        assertThat(OutboxDispatcher.DEFAULT_QUEUE_CAPACITY).isEqualTo(1000);
        assertThat(OutboxDispatcher.DEFAULT_MAX_ATTEMPTS).isEqualTo(10);
        assertThat(OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS).isEqualTo(5000);
        assertThat(OutboxDispatcher.DEFAULT_COMPLETION_LINGER_MS).isEqualTo(5);
        assertThat(OutboxDispatcher.DEFAULT_COMPLETION_MODE).isEqualTo(CompletionMode.MARK_DONE);
        assertThat(ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS).isEqualTo(200);
        assertThat(ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS).isEqualTo(60_000);
    }

    @Test
    void nonsense_is_rejected_at_once_with_name_rule_and_value() {
        rejects(() -> builder.maxAttempts(0), "maxAttempts must be >= 1, was 0");
        rejects(() -> builder.workerCount(-1), "workerCount must be >= 0, was -1");
        rejects(() -> builder.hotQueueCapacity(0), "hotQueueCapacity must be >= 1, was 0");
        rejects(() -> builder.coldQueueCapacity(-3), "coldQueueCapacity must be >= 1, was -3");
        rejects(() -> builder.drainTimeoutMs(-1), "drainTimeoutMs must be >= 0, was -1");
        rejects(() -> builder.completionLingerMs(-1), "completionLingerMs must be >= 0, was -1");
    }

    @Test
    void the_smallest_values_are_accepted() {
        assertThat(builder.maxAttempts(1)
                        .workerCount(0)
                        .hotQueueCapacity(1)
                        .coldQueueCapacity(1)
                        .drainTimeoutMs(0)
                        .completionLingerMs(0))
                .isSameAs(builder);
    }

    @Test
    void optional_parts_must_not_be_null() {
        assertThatNullPointerException().isThrownBy(() -> builder.inFlightTracker(null));
        assertThatNullPointerException().isThrownBy(() -> builder.retryPolicy(null));
        assertThatNullPointerException().isThrownBy(() -> builder.metrics(null));
        assertThatNullPointerException().isThrownBy(() -> builder.leaseConnectionProvider(null));
        assertThatNullPointerException().isThrownBy(() -> builder.interceptor(null));
        assertThatNullPointerException().isThrownBy(() -> builder.interceptors(null));
        assertThatNullPointerException().isThrownBy(() -> builder.clock(null));
        assertThatNullPointerException()
                .isThrownBy(() -> builder.completionMode(null))
                .withMessage("completionMode");
    }

    @Test
    void deleting_what_was_delivered_needs_a_store_that_can() {
        RecordingStore cannot = new RecordingStore() {
            @Override
            public boolean canDelete() {
                return false;
            }
        };
        OutboxDispatcher.Builder complete = complete().outboxStore(cannot).completionMode(CompletionMode.DELETE);

        assertThatIllegalArgumentException()
                .isThrownBy(complete::build)
                .withMessageStartingWith("completionMode DELETE needs a store that can delete, but ")
                .withMessageEndingWith("cannot; override canDelete and deleteAll, or use MARK_DONE");
        complete.completionMode(CompletionMode.MARK_DONE).build().close();
        complete.completionMode(CompletionMode.DELETE)
                .outboxStore(new RecordingStore())
                .build()
                .close();
    }

    @Test
    void interceptors_given_one_by_one_and_as_a_list_keep_their_order() {
        List<Integer> order = new CopyOnWriteArrayList<>();
        OutboxDispatcher dispatcher = complete()
                .interceptor(EventInterceptor.before(event -> order.add(1)))
                .interceptors(List.of(
                        EventInterceptor.before(event -> order.add(2)), EventInterceptor.before(event -> order.add(3))))
                .interceptor(EventInterceptor.before(event -> order.add(4)))
                .build();
        dispatcher.enqueueHot(hot("a"));
        dispatcher.close();

        assertThat(order).containsExactly(1, 2, 3, 4);
    }

    @Test
    void what_is_added_to_the_builder_later_does_not_reach_a_dispatcher_that_was_built() {
        List<Integer> order = new CopyOnWriteArrayList<>();
        OutboxDispatcher.Builder complete = complete();
        OutboxDispatcher dispatcher = complete.build();
        complete.interceptor(EventInterceptor.before(event -> order.add(0)));
        dispatcher.enqueueHot(hot("a"));
        dispatcher.close();

        assertThat(order).isEmpty();
    }

    @Test
    void errors_are_cleared_only_by_a_store_that_can() {
        rejects(
                () -> complete().clearErrorWhenDone().build(),
                "clearErrorWhenDone needs a store that clears errors, but outbox.testsupport.RecordingStore does not;"
                        + " override clearingErrors, or leave clearErrorWhenDone out");
    }

    @Test
    void a_queued_event_needs_an_envelope_and_a_source() {
        EventEnvelope event = Events.event("a");

        assertThatNullPointerException().isThrownBy(() -> new QueuedEvent(null, QueuedEvent.Source.HOT, 0));
        assertThatNullPointerException().isThrownBy(() -> new QueuedEvent(event, null, 0));
        assertThat(new QueuedEvent(event, QueuedEvent.Source.COLD, 3).attempts())
                .isEqualTo(3);
    }

    private OutboxDispatcher.Builder complete() {
        return builder.connectionProvider(StubConnections.autoCommitting())
                .outboxStore(new RecordingStore())
                .listenerRegistry(new DefaultListenerRegistry().register(Events.TYPE, event -> {}))
                .workerCount(1);
    }

    private static void rejects(Runnable setting, String message) {
        assertThatIllegalArgumentException().isThrownBy(setting::run).withMessage(message);
    }
}
