package outbox.benchmarks.candidate;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** Remembers which events arrived, how often and when; the listener of every candidate. Thread-safe. */
public final class Deliveries {

    private final AtomicIntegerArray times;
    private final AtomicLongArray arrivedAt;
    private final AtomicInteger distinct = new AtomicInteger();
    private final AtomicInteger duplicates = new AtomicInteger();
    private final AtomicLong firstAt = new AtomicLong();

    /** Room for events with numbers below the capacity. */
    public Deliveries(int capacity) {
        this.times = new AtomicIntegerArray(capacity);
        this.arrivedAt = new AtomicLongArray(capacity);
    }

    /** An event has reached its listener. */
    public void arrived(String payload) {
        long now = System.nanoTime();
        int number = BenchEvent.numberIn(payload);
        if (firstAt.get() == 0) {
            firstAt.compareAndSet(0, now);
        }
        if (times.getAndIncrement(number) == 0) {
            arrivedAt.set(number, now);
            distinct.incrementAndGet();
        } else {
            duplicates.incrementAndGet();
        }
    }

    /** How many different events arrived. */
    public int distinct() {
        return distinct.get();
    }

    /** How many arrivals were repetitions. */
    public int duplicates() {
        return duplicates.get();
    }

    /** When the first event arrived, by {@link System#nanoTime()}; 0 if none has. */
    public long firstAt() {
        return firstAt.get();
    }

    /** When the event first arrived, by {@link System#nanoTime()}; 0 if it has not. */
    public long arrivedAt(int number) {
        return arrivedAt.get(number);
    }
}
