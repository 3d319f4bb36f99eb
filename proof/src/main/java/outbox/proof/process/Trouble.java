package outbox.proof.process;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** How listeners and handlers misbehave for a while, whatever their event. */
public final class Trouble {

    private enum Kind {
        THROW,
        HANG,
        RUN_OUT_OF_MEMORY
    }

    private final Map<Kind, Long> until = new ConcurrentHashMap<>();
    private final AtomicLong slowMillisOfNext = new AtomicLong();

    /** Comes when it is ordered. */
    public Trouble(Orders orders) {
        orders.on("throw", time -> begin(Kind.THROW, Orders.millis(time)))
                .on("hang", time -> begin(Kind.HANG, Orders.millis(time)))
                .on("out-of-memory", time -> begin(Kind.RUN_OUT_OF_MEMORY, Orders.millis(time)))
                .on("slow", time -> slowNext(Orders.millis(time)));
    }

    private void begin(Kind kind, Duration time) {
        until.put(kind, System.nanoTime() + time.toNanos());
    }

    /** The next listener, and only that one, takes so long. */
    private void slowNext(Duration time) {
        slowMillisOfNext.set(time.toMillis());
    }

    /** Whoever is called meets it here. */
    public void befall() throws InterruptedException {
        Thread.sleep(slowMillisOfNext.getAndSet(0));
        Thread.sleep(left(Kind.HANG));
        if (left(Kind.THROW) > 0) {
            throw new IllegalStateException("listeners throw for a while");
        }
        if (left(Kind.RUN_OUT_OF_MEMORY) > 0) {
            System.err.println(new long[Integer.MAX_VALUE].length);
        }
    }

    private long left(Kind kind) {
        Long end = until.get(kind);
        return end == null ? 0 : Math.max(0, (end - System.nanoTime()) / 1_000_000);
    }
}
