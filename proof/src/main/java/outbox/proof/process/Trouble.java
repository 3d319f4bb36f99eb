package outbox.proof.process;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import outbox.ReceiverAwayException;

/** How listeners and handlers misbehave for a while, whatever their event. */
public final class Trouble {

    private enum Kind {
        THROW,
        THROW_BAD_TEXT,
        AWAY,
        HANG,
        RUN_OUT_OF_MEMORY
    }

    private static final long LOOK_MILLIS = 20;

    private final Map<Kind, Long> until = new ConcurrentHashMap<>();
    private final AtomicLong slowMillisOfNext = new AtomicLong();
    private final AtomicInteger badTexts = new AtomicInteger();
    private volatile BooleanSupplier hanging = () -> false;

    /** Comes when it is ordered. */
    public Trouble(Orders orders) {
        orders.on("throw", time -> begin(Kind.THROW, Orders.millis(time)))
                .on("throw-bad-text", time -> begin(Kind.THROW_BAD_TEXT, Orders.millis(time)))
                .on("away", time -> begin(Kind.AWAY, Orders.millis(time)))
                .on("hang", time -> begin(Kind.HANG, Orders.millis(time)))
                .on("out-of-memory", time -> begin(Kind.RUN_OUT_OF_MEMORY, Orders.millis(time)))
                .on("slow", time -> slowNext(Orders.millis(time)));
    }

    private void begin(Kind kind, Duration time) {
        until.put(kind, System.nanoTime() + time.toNanos());
    }

    /** All of them wait while that is so, too. */
    public void hangWhile(BooleanSupplier condition) {
        hanging = condition;
    }

    /** The next listener, and only that one, takes so long. */
    private void slowNext(Duration time) {
        slowMillisOfNext.set(time.toMillis());
    }

    /** Whoever is called meets it here. */
    public void befall() throws InterruptedException {
        Thread.sleep(slowMillisOfNext.getAndSet(0));
        Thread.sleep(left(Kind.HANG));
        while (hanging.getAsBoolean()) {
            Thread.sleep(LOOK_MILLIS);
        }
        if (left(Kind.AWAY) > 0) {
            throw new ReceiverAwayException("nobody is there for a while");
        }
        if (left(Kind.THROW) > 0) {
            throw new IllegalStateException("listeners throw for a while");
        }
        if (left(Kind.THROW_BAD_TEXT) > 0) {
            throw new IllegalStateException(BadText.of(badTexts.getAndIncrement()));
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
