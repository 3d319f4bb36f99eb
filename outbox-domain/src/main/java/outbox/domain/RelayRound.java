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
import outbox.internal.ErrorText;
import outbox.internal.EventNames;
import outbox.internal.GuardedRetryPolicy;
import outbox.internal.LoggedError;
import outbox.internal.ShortTransaction;
import outbox.poller.OutboxPollerHandler;
import outbox.poller.PollTrigger;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.Held;

/** Publishes the events of one claim after another, in the thread that polls, and records what became of each. */
final class RelayRound implements OutboxPollerHandler {

    private static final Logger LOG = System.getLogger(OutboxRelayService.class.getName());

    private final RelaySettings settings;
    private final RelayMarks marks;
    private final RetryPolicy retryPolicy;
    private final EventNames names;
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
        Throwable failure = failureOf(event);
        interrupted = Thread.interrupted() || failure instanceof InterruptedException;
        if (failure == null) {
            published++;
            mark(event, conn -> marks.done(conn, held));
        } else {
            failed(event, held, failure);
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

    private void failed(EventEnvelope event, Held held, Throwable failure) {
        String error = ErrorText.limit(ErrorSummary.withoutContent().of(event, failure));
        int failures = held.attempts() + 1;
        if (failures >= settings.maxAttempts() || failure instanceof UnroutableEventException) {
            dead(event, held, error);
            return;
        }
        Duration delay = Duration.ofMillis(retryPolicy.computeDelayMs(failures));
        LOG.log(Level.DEBUG, () -> names.of(event) + " was not published, next attempt in " + delay + ": " + error);
        mark(event, conn -> marks.retry(conn, held, delay, error));
    }

    private void dead(EventEnvelope event, Held held, @Nullable String error) {
        String why = error == null ? LeaseStore.USED_UP : error;
        LOG.log(Level.ERROR, () -> names.of(event) + " cannot be published and is marked DEAD: " + why);
        mark(event, conn -> marks.dead(conn, held, error));
    }

    /** Returns whether the event was still ours. */
    private interface Mark {
        boolean on(Connection conn);
    }

    /** A mark that fails is no failure of the event: its lease ends, and it is published again. */
    private void mark(EventEnvelope event, Mark mark) {
        try {
            if (!ShortTransaction.run(settings.connections(), mark::on)) {
                LOG.log(Level.WARNING, () -> names.of(event) + " had been taken over before its outcome was recorded");
            }
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "Cannot record what became of " + names.of(event) + "; it comes again when its lease has ended",
                    LoggedError.of(e));
        }
    }
}
