package outbox.dispatch;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import outbox.internal.task.Alarms;
import outbox.internal.task.Nanos;

/** Alarms that go off when a test says so. */
public final class SteppedAlarms implements Alarms {

    private final PriorityQueue<Entry> entries = new PriorityQueue<>(Comparator.comparingLong(Entry::at));
    private long now;

    private record Entry(long at, Runnable what) {}

    /** A dispatcher whose listeners know no other time. */
    public OutboxDispatcher.Builder of(OutboxDispatcher.Builder builder) {
        return builder.alarms(this);
    }

    @Override
    public synchronized Alarm after(Duration delay, Runnable what) {
        Entry entry = new Entry(now + Nanos.of(delay), what);
        entries.add(entry);
        return () -> callOff(entry);
    }

    private synchronized void callOff(Entry entry) {
        entries.remove(entry);
    }

    /** Lets time pass, and does what is due by then. */
    public void advance(Duration time) {
        synchronized (this) {
            now += time.toNanos();
        }
        for (Entry due = takeDue(); due != null; due = takeDue()) {
            due.what.run();
        }
    }

    private synchronized Entry takeDue() {
        Entry first = entries.peek();
        return first != null && first.at <= now ? entries.remove() : null;
    }
}
