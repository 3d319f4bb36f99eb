package outbox.testsupport;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import outbox.internal.task.Alarms;
import outbox.internal.task.Nanos;

/** Time that passes when a test says so, and what is to be done then. */
public final class ManualAlarms implements Alarms, LongSupplier {

    private final List<Entry> entries = new ArrayList<>();
    private long now = Long.MAX_VALUE - 1_000; // overflows soon, as System.nanoTime() may

    private record Entry(long at, Runnable what) {}

    @Override
    public synchronized Alarm after(Duration delay, Runnable what) {
        Entry entry = new Entry(now + Nanos.of(delay), what);
        entries.add(entry);
        return () -> callOff(entry);
    }

    private synchronized void callOff(Entry entry) {
        entries.remove(entry);
    }

    /** Lets time pass, and does what is due meanwhile, in its order. */
    public void advance(Duration time) {
        long until;
        synchronized (this) {
            until = now + time.toNanos();
        }
        for (Entry next = takeFirst(until); next != null; next = takeFirst(until)) {
            next.what.run();
        }
        synchronized (this) {
            now = until;
        }
    }

    private synchronized Entry takeFirst(long until) {
        Entry first = null;
        for (Entry entry : entries) {
            if (entry.at - until <= 0 && (first == null || entry.at - first.at < 0)) {
                first = entry;
            }
        }
        if (first != null) {
            entries.remove(first);
            now = first.at - now > 0 ? first.at : now;
        }
        return first;
    }

    /** How many alarms are set. */
    public synchronized int set() {
        return entries.size();
    }

    @Override
    public synchronized long getAsLong() {
        return now;
    }
}
