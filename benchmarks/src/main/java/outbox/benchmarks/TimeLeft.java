package outbox.benchmarks;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Says whether something that was done before can be done again in time. Used by one thread. */
final class TimeLeft {

    private final long deadline;
    private final Map<String, Long> shortest = new HashMap<>();

    /** @param deadline by {@link System#nanoTime()} */
    TimeLeft(long deadline) {
        this.deadline = deadline;
    }

    /** Whether it would end before the deadline; what was never done has to be done in any case. */
    boolean isEnoughFor(String what) {
        Long took = shortest.get(what);
        return took == null || System.nanoTime() + took < deadline;
    }

    /** Does it and remembers how long it took. */
    <T> T spendOn(String what, Supplier<T> work) {
        long begin = System.nanoTime();
        T result = work.get();
        shortest.merge(what, System.nanoTime() - begin, Math::min);
        return result;
    }
}
