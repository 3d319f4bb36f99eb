package outbox.internal.text;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Keeps a flood of failures from becoming a flood of lines. Of each kind one failure a minute is told in full, with the number of those that
 * were not since the last one; when none follows, that number is told by itself. Memory is bounded: beyond many kinds, all further ones count
 * as one. Thread-safe.
 */
public final class FoldedFailures {

    /** The answer for a failure that is only counted. */
    public static final long COUNTED = -1;

    static final int MOST_KINDS = 200;

    private static final String MORE = " more like it in the last minute";

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    /** Most often the next failure of a flood comes within this time, and tells the number; so there is one line and not two. */
    private static final long GRACE = Duration.ofSeconds(5).toNanos();

    /** Those for which there is no place. */
    private static final Kind OTHERS = new Kind(Level.WARNING, "failures", "of many kinds");

    private final Logger log;
    private final LongSupplier nanoTime;
    private final Map<Kind, Window> windows = new LinkedHashMap<>();

    /**
     * What failures have in common.
     *
     * @param what in the plural
     * @param fingerprint of the error
     */
    public record Kind(Level level, String what, String fingerprint) {

        /** Failures with the same error at the same place. */
        public static Kind of(Level level, String what, Throwable error) {
            return new Kind(level, what, Fingerprint.of(error));
        }
    }

    private static final class Window {
        private long since;
        private long counted;

        private Window(long since) {
            this.since = since;
        }
    }

    /** @param log where numbers are told */
    public FoldedFailures(Logger log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
    }

    /**
     * Asks whether a failure is to be told in full.
     *
     * @return how many of its kind were not told since the last one that was; {@link #COUNTED} if this one is not either
     */
    public synchronized long next(Kind failure) {
        long now = nanoTime.getAsLong();
        tellOlderThan(now, MINUTE + GRACE);
        Kind kind = windows.containsKey(failure) || windows.size() < MOST_KINDS ? failure : OTHERS;
        Window window = windows.get(kind);
        if (window == null) {
            windows.put(kind, new Window(now));
            return 0;
        }
        if (now - window.since < MINUTE) {
            window.counted++;
            return COUNTED;
        }
        long counted = window.counted;
        window.since = now;
        window.counted = 0;
        return counted;
    }

    /** Tells the numbers of which the time is over. */
    public synchronized void tick() {
        tellOlderThan(nanoTime.getAsLong(), MINUTE + GRACE);
    }

    /** Tells all numbers. */
    public synchronized void close() {
        tellOlderThan(nanoTime.getAsLong(), Long.MIN_VALUE);
    }

    private void tellOlderThan(long now, long age) {
        for (Iterator<Map.Entry<Kind, Window>> all = windows.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Kind, Window> each = all.next();
            if (now - each.getValue().since >= age) {
                all.remove();
                tell(each.getKey(), each.getValue().counted);
            }
        }
    }

    private void tell(Kind kind, long counted) {
        if (counted > 0) {
            log.log(kind.level, counted + MORE + ": " + kind.what + ", " + kind.fingerprint);
        }
    }

    /** What stands behind a line that speaks for others as well. */
    public static String more(long counted) {
        return counted <= 0 ? "" : " (" + counted + MORE + ")";
    }
}
