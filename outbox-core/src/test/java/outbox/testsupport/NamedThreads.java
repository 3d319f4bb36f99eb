package outbox.testsupport;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** Finds threads by the prefix of their names. */
public final class NamedThreads {

    private NamedThreads() {}

    /** Those that are alive. */
    public static List<Thread> alive(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .filter(Thread::isAlive)
                .toList();
    }

    /** Those that do not end by themselves: a pool counts as ended a moment before its last thread has. */
    public static List<Thread> lasting(String prefix) {
        try {
            for (Thread thread : alive(prefix)) {
                thread.join(TimeUnit.SECONDS.toMillis(10));
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
        return alive(prefix);
    }
}
