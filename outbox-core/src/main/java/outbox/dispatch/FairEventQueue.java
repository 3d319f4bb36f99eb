package outbox.dispatch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.QueuedEvent.Source;

/**
 * The bounded hot and cold queues behind one place to wait. Of three turns two prefer the hot queue and one the cold one, so
 * neither starves; a turn whose preferred queue is empty takes from the other at once.
 *
 * <p>Waking a thread costs more than everything else here. So a worker is woken only if there are more events than workers that
 * have been woken and not yet looked, and it is the one that went to sleep last, whose caches are warm.
 *
 * <p>After {@link #close()} nothing is accepted any more; what is queued can still be taken.
 */
final class FairEventQueue {

    private static final int TURNS = 3;
    private static final int COLD_TURN = 2;

    /** Guards everything below that is not volatile. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Lane hot;
    private final Lane cold;
    private final Deque<Sleeper> sleepers = new ArrayDeque<>();
    private int onTheirWay;
    private int turn;
    private volatile boolean closed;

    /** Bounded in number only. */
    FairEventQueue(int hotCapacity, int coldCapacity) {
        this(hotCapacity, coldCapacity, Long.MAX_VALUE);
    }

    /** @param mostBytes what the events of each queue may take in memory; one event always has room */
    FairEventQueue(int hotCapacity, int coldCapacity, long mostBytes) {
        this.hot = new Lane(hotCapacity, mostBytes);
        this.cold = new Lane(coldCapacity, mostBytes);
    }

    /** Puts the event into one of the queues; false if it is full or this is closed. */
    boolean offer(Source lane, QueuedEvent event) {
        Sleeper woken;
        lock.lock();
        try {
            if (closed || !(lane == Source.HOT ? hot : cold).add(event)) {
                return false;
            }
            woken = sleeperToWake();
        } finally {
            lock.unlock();
        }
        unpark(woken);
        return true;
    }

    /** As {@link #offer}, for an event that has had its place all the time: there is always room for it. */
    boolean resume(QueuedEvent event) {
        Sleeper woken;
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            (event.source() == Source.HOT ? hot : cold).addBeyondCapacity(event);
            woken = sleeperToWake();
        } finally {
            lock.unlock();
        }
        unpark(woken);
        return true;
    }

    /** Waits for an event; null once this is closed and empty. */
    @Nullable
    QueuedEvent take() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Sleeper self = null;
        while (true) {
            lock.lock();
            try {
                if (self != null) {
                    onTheirWay--;
                }
                QueuedEvent event = next();
                if (event != null || closed) {
                    return event;
                }
                self = new Sleeper(Thread.currentThread());
                sleepers.push(self);
            } finally {
                lock.unlock();
            }
            sleep(self);
        }
    }

    private void sleep(Sleeper self) throws InterruptedException {
        while (!self.woken) {
            if (Thread.interrupted()) {
                giveUp(self);
                throw new InterruptedException();
            }
            LockSupport.park(this);
        }
    }

    /** If it was woken just now, an event counts on it, and another one must take its place. */
    private void giveUp(Sleeper self) {
        Sleeper other = null;
        lock.lock();
        try {
            if (!sleepers.remove(self)) {
                onTheirWay--;
                other = sleeperToWake();
            }
        } finally {
            lock.unlock();
        }
        unpark(other);
    }

    /** Must be unparked after the lock was released, or it would run into it. */
    private @Nullable Sleeper sleeperToWake() {
        if (sleepers.isEmpty() || hot.size + cold.size <= onTheirWay) {
            return null;
        }
        Sleeper next = sleepers.pop();
        next.woken = true;
        onTheirWay++;
        return next;
    }

    private static void unpark(@Nullable Sleeper sleeper) {
        if (sleeper != null) {
            LockSupport.unpark(sleeper.thread);
        }
    }

    private @Nullable QueuedEvent next() {
        if (hot.size + cold.size == 0) {
            return null;
        }
        boolean coldFirst = turn == COLD_TURN;
        turn = (turn + 1) % TURNS;
        QueuedEvent event = coldFirst ? cold.poll() : hot.poll();
        if (event != null) {
            return event;
        }
        return coldFirst ? hot.poll() : cold.poll();
    }

    void close() {
        List<Sleeper> all;
        lock.lock();
        try {
            closed = true;
            all = new ArrayList<>(sleepers);
            all.forEach(sleeper -> sleeper.woken = true);
            onTheirWay += all.size();
            sleepers.clear();
        } finally {
            lock.unlock();
        }
        all.forEach(FairEventQueue::unpark);
    }

    boolean isClosed() {
        return closed;
    }

    /** Empties both queues. */
    List<QueuedEvent> drain() {
        List<QueuedEvent> rest = new ArrayList<>();
        lock.lock();
        try {
            hot.drainTo(rest);
            cold.drainTo(rest);
        } finally {
            lock.unlock();
        }
        return rest;
    }

    int hotDepth() {
        return hot.size;
    }

    int hotRemainingCapacity() {
        return closed ? 0 : hot.capacity - hot.size;
    }

    int coldDepth() {
        return cold.size;
    }

    int coldRemainingCapacity() {
        return closed ? 0 : cold.capacity - cold.size;
    }

    /** How many bytes more the events of a queue may take; negative if they take too many already. */
    long bytesLeft(Source lane) {
        return (lane == Source.HOT ? hot : cold).bytesLeft();
    }

    /** A worker that waits. */
    private static final class Sleeper {
        private final Thread thread;
        private volatile boolean woken;

        private Sleeper(Thread thread) {
            this.thread = thread;
        }
    }

    /** A bounded queue, used under the lock; only how much is in it may be asked without. */
    private static final class Lane {
        private final Queue<QueuedEvent> events = new ArrayDeque<>();
        private final int capacity;
        private final long mostBytes;
        private volatile int size;
        private volatile long bytes;

        private Lane(int capacity, long mostBytes) {
            this.capacity = capacity;
            this.mostBytes = mostBytes;
        }

        private boolean add(QueuedEvent event) {
            if (size >= capacity || (size > 0 && bytes + sizeOf(event) > mostBytes)) {
                return false;
            }
            addBeyondCapacity(event);
            return true;
        }

        private void addBeyondCapacity(QueuedEvent event) {
            events.add(event);
            changed(bytes + sizeOf(event));
        }

        private @Nullable QueuedEvent poll() {
            QueuedEvent event = events.poll();
            if (event != null) {
                changed(bytes - sizeOf(event));
            }
            return event;
        }

        private void drainTo(List<QueuedEvent> target) {
            target.addAll(events);
            events.clear();
            changed(0);
        }

        private void changed(long bytesNow) {
            size = events.size();
            bytes = bytesNow;
        }

        private long bytesLeft() {
            return mostBytes - bytes;
        }

        private static long sizeOf(QueuedEvent event) {
            return event.envelope().sizeInMemory();
        }
    }
}
