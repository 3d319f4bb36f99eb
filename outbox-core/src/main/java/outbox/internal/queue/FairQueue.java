package outbox.internal.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The bounded hot and cold queues behind one place to wait. Of three turns two prefer the hot queue and one the cold one, so
 * neither starves; a turn whose preferred queue is empty takes from the other at once.
 *
 * <p>Waking a thread costs more than everything else here. So a worker is woken only if there are more elements than threads that
 * have been woken and not yet looked, and it is the one that went to sleep last, whose caches are warm.
 *
 * <p>After {@link #close()} nothing is accepted any more; what is queued can still be taken.
 */
public final class FairQueue<T> {

    private static final int TURNS = 3;
    private static final int COLD_TURN = 2;

    /** Guards everything below that is not volatile. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Elements<T> elements;
    private final Half hot;
    private final Half cold;
    private final Deque<Sleeper> sleepers = new ArrayDeque<>();
    private int onTheirWay;
    private int turn;
    private volatile boolean closed;

    /** @param mostBytes what each queue may take in memory; one element always has room */
    public FairQueue(Elements<T> elements, int hotCapacity, int coldCapacity, long mostBytes) {
        this.elements = elements;
        this.hot = new Half(hotCapacity, mostBytes);
        this.cold = new Half(coldCapacity, mostBytes);
    }

    /** Puts the element into its queue; false if that is full or this is closed. */
    public boolean offer(T element) {
        return add(element, false);
    }

    /** As {@link #offer}, for an element that has had its place all the time: there is always room for it. */
    public boolean resume(T element) {
        return add(element, true);
    }

    private boolean add(T element, boolean beyondCapacity) {
        Sleeper woken;
        lock.lock();
        try {
            if (closed || !halfOf(element).add(element, beyondCapacity)) {
                return false;
            }
            woken = sleeperToWake();
        } finally {
            lock.unlock();
        }
        unpark(woken);
        return true;
    }

    private Half halfOf(T element) {
        return elements.isHot(element) ? hot : cold;
    }

    /** Waits for an element; null once this is closed and empty. */
    public @Nullable T take() throws InterruptedException {
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
                T element = next();
                if (element != null || closed) {
                    return element;
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

    /** If it was woken just now, an element counts on it, and another one must take its place. */
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

    private @Nullable T next() {
        if (hot.size + cold.size == 0) {
            return null;
        }
        boolean coldFirst = turn == COLD_TURN;
        turn = (turn + 1) % TURNS;
        T element = coldFirst ? cold.poll() : hot.poll();
        if (element != null) {
            return element;
        }
        return coldFirst ? hot.poll() : cold.poll();
    }

    public void close() {
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
        all.forEach(FairQueue::unpark);
    }

    public boolean isClosed() {
        return closed;
    }

    /** Empties both queues. */
    public List<T> drain() {
        List<T> rest = new ArrayList<>();
        lock.lock();
        try {
            hot.drainTo(rest);
            cold.drainTo(rest);
        } finally {
            lock.unlock();
        }
        return rest;
    }

    /** How much waits in one of the queues. */
    public Half hot() {
        return hot;
    }

    /** How much waits in the other one. */
    public Half cold() {
        return cold;
    }

    /** A thread that waits. */
    private static final class Sleeper {
        private final Thread thread;
        private volatile boolean woken;

        private Sleeper(Thread thread) {
            this.thread = thread;
        }
    }

    /** A bounded queue, used under the lock; only how much is in it may be asked without. */
    public final class Half {
        private final Queue<T> waiting = new ArrayDeque<>();
        private final int capacity;
        private final long mostBytes;
        private volatile int size;
        private volatile long bytes;

        private Half(int capacity, long mostBytes) {
            this.capacity = capacity;
            this.mostBytes = mostBytes;
        }

        /** How many elements wait. */
        public int size() {
            return size;
        }

        /** How many more there is room for; none once the queue is closed, negative if there are too many already. */
        public int room() {
            return closed ? 0 : capacity - size;
        }

        /** How many bytes more they may take; negative if they take too many already. */
        public long bytesLeft() {
            return mostBytes - bytes;
        }

        private boolean add(T element, boolean beyondCapacity) {
            long more = elements.sizeOf(element);
            if (!beyondCapacity && !fits(more)) {
                return false;
            }
            waiting.add(element);
            changed(bytes + more);
            return true;
        }

        private boolean fits(long moreBytes) {
            return size < capacity && (size == 0 || bytes + moreBytes <= mostBytes);
        }

        private @Nullable T poll() {
            T element = waiting.poll();
            if (element != null) {
                changed(bytes - elements.sizeOf(element));
            }
            return element;
        }

        private void drainTo(List<T> target) {
            target.addAll(waiting);
            waiting.clear();
            changed(0);
        }

        private void changed(long bytesNow) {
            size = waiting.size();
            bytes = bytesNow;
        }
    }
}
