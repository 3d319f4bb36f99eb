package outbox.dispatch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Gathers completions so that neighbours share a statement and a commit. The listener has run already, so nobody waits for the
 * mark: a group stays open for a few milliseconds after its first completion came, or until it is full. When the buffer is full the
 * workers wait, which is how a database that is away slows deliveries down instead of filling the memory.
 */
final class CompletionBuffer {

    private final Queue<Completion> waiting = new ArrayDeque<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Condition room = lock.newCondition();
    private final int groupSize;
    private final int capacity;
    private final long lingerNanos;
    private boolean closed;
    private boolean ended;
    private boolean hurried;

    CompletionBuffer(int groupSize, long lingerMs) {
        this.groupSize = groupSize;
        this.capacity = 4 * groupSize;
        this.lingerNanos = TimeUnit.MILLISECONDS.toNanos(lingerMs);
    }

    /** Adds a completion, waiting for room if there is none; false if it comes too late, when nobody takes groups any more. */
    boolean put(Completion completion) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (waiting.size() >= capacity) {
                room.await();
            }
            if (ended) {
                return false;
            }
            waiting.add(completion);
            if (waiting.size() == 1 || waiting.size() == groupSize) {
                changed.signal();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a group; empty once the buffer is closed and has nothing left. */
    List<Completion> takeGroup() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (waiting.isEmpty() && !closed) {
                changed.await();
            }
            long left = lingerNanos;
            while (waiting.size() < groupSize && !closed && !hurried && left > 0) {
                left = changed.awaitNanos(left);
            }
            ended = waiting.isEmpty();
            return removeGroup();
        } finally {
            lock.unlock();
        }
    }

    private List<Completion> removeGroup() {
        List<Completion> group = new ArrayList<>(Math.min(groupSize, waiting.size()));
        while (group.size() < groupSize && !waiting.isEmpty()) {
            group.add(waiting.remove());
        }
        hurried = false;
        room.signalAll();
        return group;
    }

    /** Says that somebody waits for a completion: the next group does not linger. */
    void hurry() {
        lock.lock();
        try {
            hurried = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** From now on groups do not linger. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
