package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.outcome.Completion;
import outbox.internal.outcome.CompletionWriter;
import outbox.internal.outcome.Telling;
import outbox.internal.outcome.Verdict;
import outbox.internal.text.FoldedFailures;
import outbox.internal.text.LoggedError;
import outbox.internal.text.RowWords;
import outbox.internal.text.SafeLog;
import outbox.internal.text.StoredText;
import outbox.spi.EventMetrics.Result;
import outbox.spi.MetricsExporter;

/** Tells the flow of events what was recorded, counts it and logs it. */
final class CompletionReport implements CompletionWriter.Listener {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final EventFlow flow;
    private final MetricsExporter metrics;
    private final Clock clock;
    private final Predicate<String> tellsOfDead;
    private final @Nullable Compaction compaction;
    private volatile @Nullable Instant lastDelivery;

    CompletionReport(EventFlow flow, MetricsExporter metrics) {
        this(flow, metrics, Clock.systemUTC());
    }

    CompletionReport(EventFlow flow, MetricsExporter metrics, Clock clock) {
        this(flow, metrics, clock, eventType -> false, null);
    }

    /**
     * @param tellsOfDead whether somebody is told of the end of events of a type
     * @param compaction hears of events that are to be repeated; null if every event matters
     */
    CompletionReport(
            EventFlow flow,
            MetricsExporter metrics,
            Clock clock,
            Predicate<String> tellsOfDead,
            @Nullable Compaction compaction) {
        this.compaction = compaction;
        this.flow = flow;
        this.metrics = metrics;
        this.clock = clock;
        this.tellsOfDead = tellsOfDead;
    }

    /** When an event was last recorded as done; null if none was. */
    @Nullable
    Instant lastDelivery() {
        return lastDelivery;
    }

    @Override
    public void recorded(Completion completion) {
        boolean wasLeased = flow.recorded(completion);
        try {
            tell(completion, wasLeased);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot tell what became of an event; it is recorded", LoggedError.of(e));
        }
    }

    /** The event is free by now; nothing here changes that. */
    private void tell(Completion completion, boolean wasLeased) {
        if (compaction != null
                && (completion.outcome() instanceof Verdict.Retry || completion.outcome() instanceof Verdict.Later)) {
            compaction.repeats(completion);
        }
        if (completion.outcome() instanceof Verdict.Dead && tellsOfDead.test(completion.eventType())) {
            flow.comesAfter(Duration.ZERO); // somebody is to be told by an event of its own
        }
        if (completion.outcome() instanceof Verdict.Retry retry) {
            metrics.incrementDispatchFailure();
            countDelivery(completion, Result.FAILURE);
            if (wasLeased) {
                flow.comesAfter(retry.delay()); // it began with the mark
            } else {
                flow.comesAt(retry.nextAt());
            }
            log(
                    completion,
                    Level.DEBUG,
                    Level.WARNING,
                    () -> completion + " failed, next attempt at " + retry.nextAt() + ": "
                            + StoredText.inOneLine(retry.error()));
        } else if (completion.outcome() instanceof Verdict.Later later) {
            countDelivery(completion, Result.FAILURE);
            if (wasLeased) {
                flow.comesAfter(later.delay());
            } else {
                flow.comesAt(later.nextAt());
            }
            log(
                    completion,
                    Level.DEBUG,
                    Level.WARNING,
                    () -> completion + " is put off until " + later.nextAt() + ", without counting an attempt: "
                            + StoredText.inOneLine(later.error()));
        } else if (completion.outcome() instanceof Verdict.Superseded) {
            metrics.eventsSuperseded(completion.eventType(), 1);
            LOG.log(Level.DEBUG, "{0} was superseded by a newer event of its key", completion);
        } else if (completion.outcome() instanceof Verdict.Postponed wait) {
            flow.comesAfter(wait.delay());
            tellPostponed(completion, wait);
        } else if (completion.outcome() instanceof Verdict.Dead dead && RowWords.isTooOld(dead.error())) {
            metrics.eventExpired(completion.eventType());
            LOG.log(Level.DEBUG, "{0} was too old to be delivered", completion);
        } else if (completion.outcome() instanceof Verdict.Dead dead) {
            metrics.incrementDispatchDead();
            countDelivery(completion, Result.FAILURE);
            metrics.eventDead(completion.eventType(), completion.tenantId());
            log(
                    completion,
                    Level.ERROR,
                    Level.ERROR,
                    () -> completion + " is DEAD after " + failures(completion) + ": " + reason(dead));
        } else {
            lastDelivery = clock.instant();
            metrics.incrementDispatchSuccess();
            countDelivery(completion, Result.SUCCESS);
            LOG.log(Level.DEBUG, "{0} is DONE", completion);
        }
    }

    private static void tellPostponed(Completion completion, Verdict.Postponed wait) {
        if (wait.forOthers()) {
            LOG.log(Level.DEBUG, "{0} waits for other suspects, for {1}", completion, wait.delay());
        } else {
            LOG.log(
                    Level.WARNING,
                    "{0} was being delivered when its process ended, {1} time(s) in a row; next attempt in {2}",
                    completion,
                    wait.crashes(),
                    wait.delay());
        }
    }

    /**
     * Logs what became of a failed delivery.
     *
     * @param usual if nothing was decided about it
     * @param inFull if it is told with its error
     */
    private static void log(Completion completion, Level usual, Level inFull, Supplier<String> text) {
        Telling telling = completion.telling();
        if (telling == null) {
            LOG.log(usual, text);
        } else if (telling.shown() == null) {
            LOG.log(Level.DEBUG, text);
        } else {
            LOG.log(inFull, () -> text.get() + FoldedFailures.more(telling.others()), telling.shown());
        }
    }

    private static String failures(Completion completion) {
        boolean delivered = completion.deliveryNanos() != Completion.NOT_DELIVERED;
        return (completion.attempts() + (delivered ? 1 : 0)) + " failed attempt(s)";
    }

    private static String reason(Verdict.Dead dead) {
        return dead.error() == null ? "the last attempts left no outcome" : StoredText.inOneLine(dead.error());
    }

    private void countDelivery(Completion completion, Result result) {
        if (completion.deliveryNanos() != Completion.NOT_DELIVERED) {
            metrics.eventDispatched(
                    completion.eventType(),
                    completion.tenantId(),
                    result,
                    Duration.ofNanos(completion.deliveryNanos()));
        }
    }

    @Override
    public void tooLate(Completion completion) {
        flow.tooLate(completion);
        metrics.incrementOutcomeTooLate();
        Telling telling = completion.telling();
        LOG.log(
                Level.WARNING,
                () -> completion + " had been taken over by another process when its outcome "
                        + completion.outcomeName() + " was to be recorded; the outcome is dropped",
                telling == null ? null : telling.shown());
    }

    @Override
    public void givenUp(Completion completion) {
        flow.givenUp(completion);
    }
}
