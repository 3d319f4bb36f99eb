package outbox.dispatch;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Counts the deliveries that no worker waits for, so that a close can wait for them. Thread-safe. */
final class Elsewhere {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition none = lock.newCondition();
    private int count;

    void begins() {
        lock.lock();
        try {
            count++;
        } finally {
            lock.unlock();
        }
    }

    void ends() {
        lock.lock();
        try {
            count--;
            if (count == 0) {
                none.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is none; false if there still are some when the time is over. */
    boolean awaitNone(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (count > 0 && left > 0) {
                left = none.awaitNanos(left);
            }
            return count == 0;
        } finally {
            lock.unlock();
        }
    }

    /** How many there are. */
    int count() {
        lock.lock();
        try {
            return count;
        } finally {
            lock.unlock();
        }
    }
}
