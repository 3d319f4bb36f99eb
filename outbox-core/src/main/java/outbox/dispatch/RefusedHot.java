package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.LongSupplier;
import outbox.EventEnvelope;
import outbox.internal.text.EventNames;
import outbox.internal.text.FoldedFailures;
import outbox.internal.text.SafeLog;

/** Tells of events that the hot queue had no room for. While it is full nearly all are: then it is one line a minute, with their number. */
final class RefusedHot {

    private static final Logger LOG = SafeLog.of(DispatcherWriterHook.class);

    private static final FoldedFailures.Kind KIND = new FoldedFailures.Kind(
            Level.WARNING, "events refused by the hot queue", "they stay in the table for the poller");

    private final EventNames names;
    private final FoldedFailures folded;

    RefusedHot(EventNames names, LongSupplier nanoTime) {
        this.names = names;
        this.folded = new FoldedFailures(LOG, nanoTime);
    }

    void tell(EventEnvelope event) {
        long others = folded.next(KIND);
        if (others != FoldedFailures.COUNTED) {
            LOG.log(
                    KIND.level(),
                    "Hot queue refused " + names.of(event) + "; it stays in the table for the poller"
                            + FoldedFailures.more(others));
        }
    }

    /** Tells how many were not told, if the time for it has come. */
    void tick() {
        folded.tick();
    }

    /** Tells how many were not told. */
    void close() {
        folded.close();
    }
}
