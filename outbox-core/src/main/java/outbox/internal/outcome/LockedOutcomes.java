package outbox.internal.outcome;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.SafeLog;

/**
 * Outcomes that could not be written because somebody else has locked their rows. They are tried again with growing pauses, which begin
 * anew when one of the rows has become free.
 */
final class LockedOutcomes {

    private static final Logger LOG = SafeLog.of(CompletionWriter.class);

    private final LongSupplier nanoTime;
    private final List<Completion> waiting = new ArrayList<>();
    private final GrowingPause pauses = new GrowingPause(Duration.ofMillis(100), Duration.ofSeconds(2));
    private long nextTry;
    private boolean inRound;
    private boolean announced;
    private int seen;

    LockedOutcomes(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    int count() {
        return waiting.size();
    }

    void add(Completion completion) {
        if (!inRound && waiting.isEmpty()) {
            scheduleNext(true);
        }
        seen += inRound ? 0 : 1;
        waiting.add(completion);
    }

    /** Puts back what was not tried in this round; it comes first in the next one. */
    void putBack(List<Completion> untried) {
        waiting.addAll(0, untried);
    }

    /** Says once that somebody has locked rows, for as long as there are any. */
    void announce() {
        if (announced || waiting.isEmpty()) {
            return;
        }
        announced = true;
        Completion first = waiting.get(0);
        LOG.log(
                Level.WARNING,
                "Somebody has locked the row of {0}: its outcome {1} is recorded when the row is free, others meanwhile",
                first,
                first.outcomeName());
    }

    private void scheduleNext(boolean startOver) {
        if (startOver) {
            pauses.startOver();
        }
        nextTry = nanoTime.getAsLong() + pauses.next().toNanos();
    }

    /** When to try again; null if there is nothing to try. */
    @Nullable
    Duration timeToNextTry() {
        return waiting.isEmpty() ? null : Duration.ofNanos(Math.max(0, nextTry - nanoTime.getAsLong()));
    }

    boolean isDue() {
        return !waiting.isEmpty() && nextTry - nanoTime.getAsLong() <= 0;
    }

    /** Begins a round: takes all out. Those that are still locked are to be {@linkplain #add added} before it {@linkplain #endRound ends}. */
    List<Completion> beginRound() {
        inRound = true;
        return takeAll();
    }

    List<Completion> takeAll() {
        List<Completion> all = List.copyOf(waiting);
        waiting.clear();
        return all;
    }

    void endRound(int tried) {
        inRound = false;
        scheduleNext(waiting.size() < tried);
        if (waiting.isEmpty()) {
            int waited = seen;
            seen = 0;
            announced = false;
            LOG.log(Level.INFO, "The rows are free again for which {0} outcome(s) had to wait", waited);
        }
    }
}
