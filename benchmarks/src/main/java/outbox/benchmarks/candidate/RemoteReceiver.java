package outbox.benchmarks.candidate;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Somebody at the other end of a network: takes any number of events at once, and answers each of them a millisecond later, from one thread, as
 * the client of a broker does. Thread-safe.
 */
public final class RemoteReceiver implements AutoCloseable {

    /** How many a sender may have under way. */
    public static final int MOST_IN_FLIGHT = 256;

    private static final long LATENCY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Deliveries deliveries;
    private final Deque<Sent> sent = new ArrayDeque<>();
    private final Thread thread = new Thread(this::answer, "receiver");
    private volatile boolean closed;

    private record Sent(String payload, long answeredAt, CompletableFuture<Void> answer) {}

    /** What has been answered counts as arrived. */
    public RemoteReceiver(Deliveries deliveries) {
        this.deliveries = deliveries;
        thread.setDaemon(true);
        thread.start();
    }

    /** Sends an event. */
    public CompletionStage<Void> send(String payload) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        boolean wasIdle;
        synchronized (sent) {
            wasIdle = sent.isEmpty();
            sent.add(new Sent(payload, System.nanoTime() + LATENCY_NANOS, answer));
        }
        if (wasIdle) {
            LockSupport.unpark(thread);
        }
        return answer;
    }

    private void answer() {
        while (!closed) {
            Sent next = next();
            if (next == null) {
                LockSupport.park();
                continue;
            }
            long wait;
            while ((wait = next.answeredAt - System.nanoTime()) > 0) {
                LockSupport.parkNanos(wait);
            }
            deliveries.arrived(next.payload);
            next.answer.complete(null);
        }
    }

    private Sent next() {
        synchronized (sent) {
            return sent.poll();
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        ThreadEnd.await(thread);
    }
}
