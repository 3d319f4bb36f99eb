package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.QueuedEvent.Source;

/**
 * The bounded hot and cold queues behind one place to wait. Of three turns two prefer the hot queue and one the cold one, so
 * neither starves; a turn whose preferred queue is empty takes from the other at once.
 *
 * <p>A semaphore counts the waiting events of both queues, so a worker never waits on one queue while the other has work. A
 * permit is released after its event was put, hence whoever holds a permit will find an event, though perhaps not at first
 * look: between its looks at the two queues another worker may have taken the event it was about to see.
 *
 * <p>After {@link #close()} nothing is accepted any more; what is queued can still be taken.
 */
final class FairEventQueue {

    private static final int TURNS = 3;
    private static final int COLD_TURN = 2;

    private final ArrayBlockingQueue<QueuedEvent> hot;
    private final ArrayBlockingQueue<QueuedEvent> cold;
    private final Semaphore waiting = new Semaphore(0);
    private final AtomicInteger turn = new AtomicInteger();
    private volatile boolean closed;

    FairEventQueue(int hotCapacity, int coldCapacity) {
        this.hot = new ArrayBlockingQueue<>(hotCapacity);
        this.cold = new ArrayBlockingQueue<>(coldCapacity);
    }

    /** Puts the event into one of the queues; false if it is full or this is closed. */
    boolean offer(Source lane, QueuedEvent event) {
        ArrayBlockingQueue<QueuedEvent> queue = lane == Source.HOT ? hot : cold;
        if (closed || !queue.offer(event)) {
            return false;
        }
        waiting.release();
        // If the close came in between, the workers may be gone already: then the event is taken back and refused.
        return !closed || !queue.remove(event);
    }

    /** Waits for an event; null once this is closed and empty. */
    @Nullable
    QueuedEvent take() throws InterruptedException {
        waiting.acquire();
        boolean coldFirst = turn.getAndUpdate(n -> (n + 1) % TURNS) == COLD_TURN;
        while (true) {
            QueuedEvent event = coldFirst ? firstOf(cold, hot) : firstOf(hot, cold);
            if (event != null) {
                return event;
            }
            if (closed) {
                waiting.release(); // passes the wake-up on to the next worker
                return null;
            }
            Thread.onSpinWait();
        }
    }

    void close() {
        closed = true;
        waiting.release();
    }

    boolean isClosed() {
        return closed;
    }

    /** Empties both queues. */
    List<QueuedEvent> drain() {
        List<QueuedEvent> rest = new ArrayList<>();
        hot.drainTo(rest);
        cold.drainTo(rest);
        return rest;
    }

    int hotDepth() {
        return hot.size();
    }

    int coldDepth() {
        return cold.size();
    }

    int coldRemainingCapacity() {
        return closed ? 0 : cold.remainingCapacity();
    }

    private static @Nullable QueuedEvent firstOf(
            ArrayBlockingQueue<QueuedEvent> preferred, ArrayBlockingQueue<QueuedEvent> other) {
        QueuedEvent event = preferred.poll();
        return event != null ? event : other.poll();
    }
}
