package outbox.dispatch;

import java.util.concurrent.atomic.AtomicLong;

/** Lets tests on databases move the time by which a dispatcher loses its patience. */
public final class MovedTime {

    private MovedTime() {}

    /** The time of the system, ahead of it by so many nanoseconds. */
    public static OutboxDispatcher.Builder ahead(OutboxDispatcher.Builder builder, AtomicLong nanos) {
        return builder.nanoTime(() -> System.nanoTime() + nanos.get());
    }
}
