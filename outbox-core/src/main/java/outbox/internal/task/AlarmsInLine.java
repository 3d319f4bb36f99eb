package outbox.internal.task;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * For many alarms that are nearly all called off, and are all set for the same time ahead: they stand in line, and only for the first of them a real one is set. What is
 * set for another time ahead is a real one. Thread-safe.
 */
public final class AlarmsInLine implements Alarms {

    private final Alarms real;
    private final LongSupplier nanoTime;
    private final Duration usual;
    private final long nanos;

    /** The ends of the line, guarded by this; as what follows. */
    private @Nullable Waiting first;

    private @Nullable Waiting last;
    private boolean isSet;

    public AlarmsInLine(Alarms real, LongSupplier nanoTime, Duration usual) {
        this.real = real;
        this.nanoTime = nanoTime;
        this.usual = usual;
        this.nanos = Nanos.of(usual);
    }

    /** One that stands in line, until it is done or called off. */
    private final class Waiting implements Alarm {

        private final long at;
        private @Nullable Runnable what;
        private @Nullable Waiting before;
        private @Nullable Waiting behind;

        private Waiting(long at, Runnable what) {
            this.at = at;
            this.what = what;
        }

        @Override
        public void callOff() {
            remove(this);
        }
    }

    @Override
    public Alarm after(Duration delay, Runnable what) {
        if (!delay.equals(usual)) {
            return real.after(delay, what);
        }
        Waiting waiting;
        boolean set;
        synchronized (this) {
            waiting = new Waiting(nanoTime.getAsLong() + nanos, what);
            waiting.before = last;
            if (last == null) {
                first = waiting;
            } else {
                last.behind = waiting;
            }
            last = waiting;
            set = !isSet;
            isSet = true;
        }
        if (set) {
            real.after(usual, this::look);
        }
        return waiting;
    }

    private synchronized void remove(Waiting waiting) {
        if (waiting.what == null) {
            return;
        }
        waiting.what = null;
        Waiting before = waiting.before;
        Waiting behind = waiting.behind;
        if (before == null) {
            first = behind;
        } else {
            before.behind = behind;
        }
        if (behind == null) {
            last = before;
        } else {
            behind.before = before;
        }
        waiting.before = null;
        waiting.behind = null;
    }

    /** Does what is due, and has itself called again for the first of the others. */
    private void look() {
        List<Runnable> due = new ArrayList<>();
        Duration next = null;
        synchronized (this) {
            long now = nanoTime.getAsLong();
            for (Waiting head = first; head != null && head.at - now <= 0; head = first) {
                due.add(Objects.requireNonNull(head.what));
                remove(head);
            }
            isSet = first != null;
            if (first != null) {
                next = Duration.ofNanos(Math.max(1, first.at - now));
            }
        }
        if (next != null) {
            real.after(next, this::look);
        }
        Throwable failure = null;
        for (Runnable what : due) {
            try {
                what.run();
            } catch (Throwable e) {
                failure = e; // one of many must not keep the others
            }
        }
        if (failure != null) {
            throw new IllegalStateException("what was to be done at a time has failed", failure);
        }
    }
}
