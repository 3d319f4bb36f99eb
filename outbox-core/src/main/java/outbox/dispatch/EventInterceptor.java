package outbox.dispatch;

import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/** Runs around every delivery, for audit, logging or metrics. Must be thread-safe. */
public interface EventInterceptor {

    /** Runs before the listener, in order of registration. An exception skips the listener: the event is retried or DEAD. */
    default void beforeDispatch(EventEnvelope event) throws Exception {}

    /**
     * Runs after the listener, in reverse order, whether or not it succeeded. What it throws is only logged.
     *
     * @param error null after success; an {@link Error} comes wrapped in an {@link java.util.concurrent.ExecutionException}
     */
    default void afterDispatch(EventEnvelope event, @Nullable Exception error) {}

    /** An interceptor that acts before the listener only. */
    static EventInterceptor before(BeforeHook hook) {
        Objects.requireNonNull(hook, "hook");
        return new EventInterceptor() {
            @Override
            public void beforeDispatch(EventEnvelope event) throws Exception {
                hook.accept(event);
            }
        };
    }

    /** An interceptor that acts after the listener only. */
    static EventInterceptor after(BiConsumer<EventEnvelope, @Nullable Exception> hook) {
        Objects.requireNonNull(hook, "hook");
        return new EventInterceptor() {
            @Override
            public void afterDispatch(EventEnvelope event, @Nullable Exception error) {
                hook.accept(event, error);
            }
        };
    }

    /** What {@link #before(BeforeHook)} runs. */
    @FunctionalInterface
    interface BeforeHook {

        /** Looks at the event; throwing fails the delivery. */
        void accept(EventEnvelope event) throws Exception;
    }
}
