package outbox;

import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries what belongs to the current thread, such as trace, tenant, user or correlation, in the headers of events from where they are written to
 * where they are handled. Thread-safe.
 */
public interface HeaderProvider {

    /** What is restored; whoever has restored it closes it, on the same thread. */
    interface Scope extends AutoCloseable {

        /** Nothing is restored. */
        Scope NONE = () -> {};

        /** Puts back what was there before. */
        @Override
        void close();
    }

    /**
     * What events that the current thread writes are to have in their headers. A header that the code has set itself stays as it is. An exception
     * fails the write: leave out what is merely not there.
     */
    Map<String, String> headers();

    /**
     * Makes what the event carries current on this thread, before its listener is called. An exception is a failure of the delivery: the listener is
     * not called without what it relies on.
     */
    Scope restore(EventEnvelope event);

    /**
     * Carries one value in one header.
     *
     * @param current the value of the current thread; null if it has none
     * @param restore makes a value current; null for an event that carries none, so that nothing of another event is left on the thread
     */
    static HeaderProvider of(
            String header, Supplier<@Nullable String> current, Function<@Nullable String, Scope> restore) {
        Objects.requireNonNull(header, "header");
        Objects.requireNonNull(current, "current");
        Objects.requireNonNull(restore, "restore");
        return new HeaderProvider() {
            @Override
            public Map<String, String> headers() {
                String value = current.get();
                return value == null ? Map.of() : Map.of(header, value);
            }

            @Override
            public Scope restore(EventEnvelope event) {
                return restore.apply(event.headers().get(header));
            }

            @Override
            public String toString() {
                return "HeaderProvider[" + header + "]";
            }
        };
    }

    /** Carries the value of a thread-local variable in one header. */
    static HeaderProvider ofThreadLocal(String header, ThreadLocal<@Nullable String> variable) {
        Objects.requireNonNull(variable, "variable");
        return of(header, variable::get, value -> {
            String before = variable.get();
            set(variable, value);
            return () -> set(variable, before);
        });
    }

    private static void set(ThreadLocal<@Nullable String> variable, @Nullable String value) {
        if (value == null) {
            variable.remove();
        } else {
            variable.set(value);
        }
    }
}
