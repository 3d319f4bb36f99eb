package outbox.domain;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.dispatch.ErrorSummary;
import outbox.dispatch.RetryPolicy;
import outbox.dispatch.UnroutableEventException;
import outbox.internal.EventNames;
import outbox.internal.GuardedMetrics;
import outbox.internal.GuardedRetryPolicy;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;
import outbox.internal.ShortTransaction;
import outbox.internal.StoredText;
import outbox.poller.OutboxPollerHandler;
import outbox.poller.PollLink;
import outbox.poller.PollTrigger;
import outbox.spi.EventMetrics.Result;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.Held;
import outbox.spi.MetricsExporter;

/** Publishes the events of one claim after another, in the thread that polls, and records what became of each. */
final class RelayRound implements OutboxPollerHandler, PollLink {

    private static final Logger LOG = SafeLog.of(OutboxRelayService.class);

    private final RelaySettings settings;
    private final RelayMarks marks;
    private final RetryPolicy retryPolicy;
    private final EventNames names;
    private final MetricsExporter metrics;
    private final Duration publishWithin;
    private int batchSize;
    private int published;
    private long startedAt;
    private boolean interrupted;
    private @Nullable PollTrigger trigger;

    RelayRound(RelaySettings settings, String ownerId, int batchSize) {
        this.settings = settings;
        this.marks = RelayMarks.of(settings.store(), ownerId, settings.clock());
        this.retryPolicy = new GuardedRetryPolicy(settings.retryPolicy());
        this.names = settings.names();
        this.metrics = new GuardedMetrics(settings.metrics());
        // The other half is left for the event that is being published when the time is up.
        this.publishWithin = settings.lease().dividedBy(2);
        this.batchSize = batchSize;
    }

    void batchSize(int events) {
        batchSize = events;
        published = 0;
    }

    /** How many were published since the batch size was said. */
    int published() {
        return published;
    }

    @Override
    public int availableCapacity() {
        return batchSize;
    }

    @Override
    public PollLink link() {
        return this;
    }

    @Override
    public void connect(PollTrigger pollTrigger) {
        trigger = pollTrigger;
    }

    @Override
    public void pollWhenRoomFor(int events) {
        if (trigger != null) {
            trigger.pollNow();
        }
    }

    @Override
    public void pollStarting() {
        startedAt = settings.nanoTime().getAsLong();
        interrupted = false;
    }

    /** The flag of the thread is set again not before here: with it, connections could not be had for what was left to do. */
    @Override
    public void pollFinished() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns false if what is left of the batch is to be given back, as leases may end before it could be published. */
    @Override
    public boolean handle(EventEnvelope event, int attempts) {
        if (interrupted || settings.nanoTime().getAsLong() - startedAt >= publishWithin.toNanos()) {
            return false;
        }
        Held held = new Held(event.eventId(), attempts);
        if (attempts >= settings.maxAttempts()) {
            // Each attempt ended together with its process; one more would end this one too. The row tells of it.
            dead(event, held, null);
            return true;
        }
        publish(event, held);
        return true;
    }

    private void publish(EventEnvelope event, Held held) {
        long start = System.nanoTime();
        Throwable failure = failureOf(event);
        Duration time = Duration.ofNanos(System.nanoTime() - start);
        interrupted = Thread.interrupted() || failure instanceof InterruptedException;
        if (failure == null) {
            published++;
            if (mark(event, conn -> marks.done(conn, held))) {
                metrics.incrementDispatchSuccess();
                metrics.eventDispatched(event.eventType(), Result.SUCCESS, time);
            }
        } else if (failed(event, held, failure)) {
            metrics.eventDispatched(event.eventType(), Result.FAILURE, time);
        }
    }

    /** An Error too: it harms its own event and not the rest of the batch. */
    private @Nullable Throwable failureOf(EventEnvelope event) {
        try {
            settings.transport().publish(event);
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    /** Returns whether that was recorded. */
    private boolean failed(EventEnvelope event, Held held, Throwable failure) {
        String error = ErrorSummary.withoutContent().of(event, failure);
        int failures = held.attempts() + 1;
        if (failures >= settings.maxAttempts() || failure instanceof UnroutableEventException) {
            return dead(event, held, error);
        }
        Duration delay = Duration.ofMillis(retryPolicy.computeDelayMs(failures));
        LOG.log(
                Level.DEBUG,
                () -> names.of(event) + " was not published, next attempt in " + delay + ": "
                        + StoredText.inOneLine(error));
        boolean recorded = mark(event, conn -> marks.retry(conn, held, delay, error));
        if (recorded) {
            metrics.incrementDispatchFailure();
        }
        return recorded;
    }

    private boolean dead(EventEnvelope event, Held held, @Nullable String error) {
        String why = error == null ? LeaseStore.USED_UP : error;
        LOG.log(
                Level.ERROR,
                () -> names.of(event) + " cannot be published and is marked DEAD: " + StoredText.inOneLine(why));
        boolean recorded = mark(event, conn -> marks.dead(conn, held, error));
        if (recorded) {
            metrics.incrementDispatchDead();
            metrics.eventDead(event.eventType());
        }
        return recorded;
    }

    /** Returns whether the event was still ours. */
    private interface Mark {
        boolean on(Connection conn);
    }

    /** A mark that fails is no failure of the event: its lease ends, and it is published again. Returns whether it was recorded. */
    private boolean mark(EventEnvelope event, Mark mark) {
        try {
            boolean recorded = ShortTransaction.run(settings.connections(), mark::on);
            if (!recorded) {
                metrics.incrementOutcomeTooLate();
                LOG.log(Level.WARNING, () -> names.of(event) + " had been taken over before its outcome was recorded");
            }
            return recorded;
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "Cannot record what became of " + names.of(event) + "; it comes again when its lease has ended",
                    LoggedError.of(e));
            return false;
        }
    }
}
