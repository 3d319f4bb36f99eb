package outbox.proof.proxy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** What is to go wrong next. */
final class Spoil {

    /** What happens to a client that says a word. */
    enum Fate {
        /** It passes. */
        NONE,
        /** The server hears it, and the client nothing more. */
        ANSWER_LOST,
        /** The server does not hear it. */
        LOST
    }

    private record Trap(String word, Fate fate) {}

    private final AtomicReference<@Nullable Trap> trap = new AtomicReference<>();
    private volatile Duration delay = Duration.ZERO;
    private boolean silent;
    private int unheard;

    /** Nothing passes from now on until it is ended. */
    synchronized void silence(boolean now) {
        silent = now;
        notifyAll();
    }

    /** Waits until something is said that does not pass. */
    synchronized void awaitUnheard() throws InterruptedException {
        while (unheard == 0) {
            wait();
        }
    }

    private synchronized void waitWhileSilent() {
        unheard += silent ? 1 : 0;
        notifyAll();
        while (silent) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    void delay(Duration time) {
        delay = time;
    }

    void holdUp() {
        waitWhileSilent();
        if (!delay.isZero()) {
            LockSupport.parkNanos(delay.toNanos());
        }
    }

    void swallowAnswerTo(String word) {
        trap.set(new Trap(word.toLowerCase(Locale.ROOT), Fate.ANSWER_LOST));
    }

    void swallow(String word) {
        trap.set(new Trap(word.toLowerCase(Locale.ROOT), Fate.LOST));
    }

    void spare() {
        trap.set(null);
    }

    /** Each trap catches one client, once. A word that comes in two pieces is not recognised, which at worst spoils nothing. */
    Fate fateOf(byte[] bytes, int length) {
        Trap set = trap.get();
        if (set == null) {
            return Fate.NONE;
        }
        String said = new String(bytes, 0, length, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
        return said.contains(set.word) && trap.compareAndSet(set, null) ? set.fate : Fate.NONE;
    }
}
