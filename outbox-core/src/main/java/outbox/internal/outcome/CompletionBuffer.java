package outbox.internal.outcome;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Gathers completions so that neighbours share a statement and a commit. The listener has run already, so nobody waits for the
 * mark: a group stays open for a few milliseconds after its first completion came, or until it is full. When the buffer is full the
 * workers wait, which is how a database that is away slows deliveries down instead of filling the memory.
 */
public final class CompletionBuffer {

    /** Has its full size from the beginning: there may be no memory to grow when a completion comes, which nobody else knows. */
    private final Queue<Completion> waiting;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Condition room = lock.newCondition();
    private final int groupSize;
    private final int capacity;
    private final long lingerNanos;
    private int elsewhere;
    private boolean closed;
    private boolean ended;
    private boolean hurried;
    private boolean refusing;

    public CompletionBuffer(int groupSize, long lingerMs) {
        this.groupSize = groupSize;
        this.capacity = 4 * groupSize;
        this.waiting = new ArrayDeque<>(capacity);
        this.lingerNanos = TimeUnit.MILLISECONDS.toNanos(lingerMs);
    }

    /**
     * Adds a completion, waiting for room if there is none; false if it comes too late, when nobody takes groups any more or there is no
     * time to wait. An interrupt changes nothing: the listener has run, so whoever it was meant for is gone.
     */
    public boolean put(Completion completion) {
        lock.lock();
        try {
            while (isFull() && !refusing) {
                room.awaitUninterruptibly();
            }
            if (ended || isFull()) {
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

    /**
     * As {@link #put}, without waiting for room: for a thread that is not ours, and for what was begun when there was room; see {@link #awaitRoom}.
     */
    public boolean putAtOnce(Completion completion) {
        lock.lock();
        try {
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

    /** Waits for room, unless there is no time for that. What is begun afterwards will have none if others are quicker, which does no harm. */
    public void awaitRoom() {
        lock.lock();
        try {
            while (isFull() && !refusing && !ended) {
                room.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a group; empty once the buffer is closed and has nothing left, or if nothing has come for so long.
     *
     * @param longest null waits without limit
     */
    List<Completion> takeGroup(@Nullable Duration longest) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            awaitFirst(longest == null ? Long.MAX_VALUE : longest.toNanos());
            long left = waiting.isEmpty() ? 0 : lingerNanos;
            while (waiting.size() < groupSize && !closed && !hurried && left > 0) {
                left = changed.awaitNanos(left);
            }
            ended = closed && waiting.isEmpty();
            return removeGroup();
        } finally {
            lock.unlock();
        }
    }

    private boolean isFull() {
        return waiting.size() + elsewhere >= capacity;
    }

    private void awaitFirst(long nanos) throws InterruptedException {
        long left = nanos;
        while (waiting.isEmpty() && !closed && left > 0) {
            left = changed.awaitNanos(left);
        }
    }

    /** Whether the last group was taken, so that nothing is accepted any more. */
    boolean isEnded() {
        lock.lock();
        try {
            return ended;
        } finally {
            lock.unlock();
        }
    }

    /** Says how many completions that were taken from here wait elsewhere; they count as if they were here. */
    void keepRoomFor(int completions) {
        lock.lock();
        try {
            elsewhere = completions;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The list has its size before anything is removed: there may be no memory for it, and nobody else knows the completions. */
    private List<Completion> removeGroup() {
        List<Completion> group = new ArrayList<>(Math.min(groupSize, waiting.size()));
        while (group.size() < groupSize && !waiting.isEmpty()) {
            group.add(waiting.remove());
        }
        hurried = hurried && group.isEmpty();
        room.signalAll();
        return group;
    }

    /** Says that somebody waits for a completion: the next group does not linger. */
    public void hurry() {
        lock.lock();
        try {
            hurried = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** From now on nobody waits for room: who finds none is refused. */
    public void refuseWhenFull() {
        lock.lock();
        try {
            refusing = true;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** From now on groups do not linger. */
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
