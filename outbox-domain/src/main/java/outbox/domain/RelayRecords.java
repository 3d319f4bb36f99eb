package outbox.domain;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import outbox.dispatch.CompletionMode;
import outbox.internal.GuardedMetrics;
import outbox.internal.outcome.Completion;
import outbox.internal.outcome.CompletionWriter;
import outbox.internal.outcome.StoreMarks;
import outbox.internal.outcome.Verdict;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.text.StoredText;
import outbox.internal.transaction.ShortTransaction;
import outbox.spi.EventMetrics.Result;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.Begun;
import outbox.spi.MetricsExporter;

/**
 * Records the outcomes of one batch together, by the rules of the dispatcher, in the calling thread. While the database cannot write, it waits
 * until the leases of the batch have expired; from then on others may publish it again.
 */
final class RelayRecords implements CompletionWriter.Listener {

    private static final Logger LOG = SafeLog.of(OutboxRelayService.class);

    private final RelaySettings settings;
    private String ownerId;
    private final MetricsExporter metrics;
    private final CompletionWriter writer;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private long expiresAt;
    private boolean waits;

    RelayRecords(RelaySettings settings, String ownerId) {
        this.settings = settings;
        this.ownerId = ownerId;
        this.metrics = GuardedMetrics.of(settings.metrics());
        boolean deletesDone = settings.completionMode() == CompletionMode.DELETE;
        StoreMarks marks =
                new StoreMarks(settings.store(), () -> this.ownerId, deletesDone, CompletionWriter.TIME_LIMIT);
        this.writer = new CompletionWriter(settings.connections(), marks, this::pause, this);
    }

    /**
     * On return something has become of each outcome.
     *
     * @param claimedAt when the claim of the batch began
     * @param hurried whether the caller was interrupted: then nothing is waited for
     */
    void write(List<Completion> outcomes, long claimedAt, boolean hurried) {
        expiresAt = claimedAt + settings.lease().toNanos();
        waits = !hurried;
        writer.write(List.copyOf(outcomes));
        writer.finish();
    }

    /** Says under which name events are leased. */
    void ownedBy(String owner) {
        ownerId = owner;
    }

    /**
     * Writes down that a suspect is about to be published, so that the next owner knows should this process end meanwhile. Returns false if that
     * cannot be done, or the event is not ours any more.
     */
    boolean writeDown(Begun suspect) {
        LeaseStore leases = Objects.requireNonNull(settings.store().leases());
        try {
            return ShortTransaction.run(settings.connections(), conn -> leases.writeDown(conn, ownerId, suspect));
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "Cannot write down that event " + StoredText.inOneLine(suspect.eventId())
                            + " is published after its lease had expired; it waits",
                    LoggedError.of(e));
            return false;
        }
    }

    void stop() {
        stopped.countDown();
    }

    private boolean pause(Duration time) {
        long left = expiresAt - settings.nanoTime().getAsLong();
        try {
            return waits && left > 0 && !stopped.await(Math.min(left, time.toNanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            waits = false;
            return false;
        }
    }

    @Override
    public void recorded(Completion completion) {
        if (completion.outcome() instanceof Verdict.Retry retry) {
            metrics.incrementDispatchFailure();
            count(completion, Result.FAILURE);
            LOG.log(
                    Level.DEBUG,
                    () -> completion + " was not published, next attempt in " + retry.delay() + ": "
                            + StoredText.inOneLine(retry.error()));
        } else if (completion.outcome() instanceof Verdict.Postponed wait) {
            LOG.log(
                    Level.WARNING,
                    "{0} was being published when its process ended, {1} time(s) in a row; next attempt in {2}",
                    completion,
                    wait.crashes(),
                    wait.delay());
        } else if (completion.outcome() instanceof Verdict.Dead dead) {
            metrics.incrementDispatchDead();
            metrics.eventDead(completion.eventType(), completion.tenantId());
            count(completion, Result.FAILURE);
            LOG.log(Level.ERROR, () -> completion + " cannot be published and is DEAD: " + reason(dead));
        } else {
            metrics.incrementDispatchSuccess();
            count(completion, Result.SUCCESS);
        }
    }

    private static String reason(Verdict.Dead dead) {
        return dead.error() == null ? "its last attempts left no outcome" : StoredText.inOneLine(dead.error());
    }

    private void count(Completion completion, Result result) {
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
        metrics.incrementOutcomeTooLate();
        LOG.log(Level.WARNING, "{0} was taken over by another process before its outcome was recorded", completion);
    }

    /** Not a failure of the event: its lease expires, and it is published again. */
    @Override
    public void givenUp(Completion completion) {
        LOG.log(
                Level.WARNING,
                "The outcome of {0} is not recorded; it will be published again when its lease has expired",
                completion);
    }
}
