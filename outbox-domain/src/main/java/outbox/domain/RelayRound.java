package outbox.domain;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.AggregateType;
import outbox.EventEnvelope;
import outbox.dispatch.ErrorSummary;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.UnroutableEventException;
import outbox.internal.dead.DeathNotice;
import outbox.internal.outcome.Completion;
import outbox.internal.outcome.Hold;
import outbox.internal.outcome.Verdict;
import outbox.internal.outcome.Verdicts;
import outbox.internal.text.EventNames;
import outbox.model.EventRoute;
import outbox.model.OutboxEvent;
import outbox.poller.OutboxPollerHandler;
import outbox.poller.PollLink;
import outbox.poller.PollTrigger;
import outbox.spi.LeaseStore.Begun;
import outbox.spi.LeaseStore.Suspicion;

/**
 * Publishes the events of a claim one after another, in the polling thread, and has the outcomes recorded together at the end. It has half of
 * the lease for that; the other half is for the event that is being published when the time is up, and for the outcomes.
 */
final class RelayRound implements OutboxPollerHandler, PollLink {

    /** What an outbox says to itself is not for the outer world; it stays for a process whom it concerns. */
    private static final EventRoute NOTICES = new EventRoute(AggregateType.GLOBAL.name(), DeathNotice.TYPE);

    private final RelaySettings settings;
    private final RelayRecords records;
    private final Verdicts verdicts;
    private final EventNames names;
    private final List<Completion> outcomes = new ArrayList<>();
    private int batchSize;
    private int published;
    private long startedAt;
    private boolean interrupted;
    private boolean leased;
    private boolean metNotices;
    private Set<EventRoute> leftOut = Set.of();
    private @Nullable Suspicion suspicion;
    private @Nullable PollTrigger trigger;

    RelayRound(RelaySettings settings, String ownerId, int batchSize) {
        this.settings = settings;
        this.records = new RelayRecords(settings, ownerId);
        this.verdicts = new Verdicts(new Verdicts.Rules(
                settings.retryPolicy()::computeDelayMs,
                ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS,
                settings.maxAttempts(),
                OutboxDispatcher.DEFAULT_CRASH_BUDGET,
                UnroutableEventException.class::isInstance,
                ErrorSummary.withoutContent()::of,
                settings.clock()));
        this.names = settings.names();
        this.batchSize = batchSize;
    }

    void batchSize(int events) {
        batchSize = events;
        published = 0;
    }

    /** How many were published since the batch size was set. */
    int published() {
        return published;
    }

    /** From now on nothing is waited for. */
    void stop() {
        records.stop();
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
        outcomes.clear();
    }

    /** The thread's interrupt flag is restored only here: with it set, no connection could be opened for the remaining work. */
    @Override
    public void pollFinished() {
        try {
            recordOutcomes();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns false if the rest of the batch must be released, because leases may expire before it could be published. */
    @Override
    public boolean handle(EventEnvelope event, int attempts) {
        if (interrupted || elapsed().compareTo(settings.lease().dividedBy(2)) >= 0) {
            return false;
        }
        Suspicion held = suspicion;
        suspicion = null;
        return held == null ? publish(event, attempts) : publishSuspect(event, attempts, held);
    }

    /** Alone: what was published before is recorded first, and so is this one before the next. */
    private boolean publishSuspect(EventEnvelope event, int attempts, Suspicion held) {
        Verdict undelivered = verdicts.onSuspicion(held, () -> false);
        if (undelivered != null) {
            return end(event, attempts, undelivered, Completion.NOT_DELIVERED);
        }
        recordOutcomes();
        if (!records.writeDown(new Begun(event.eventId(), attempts, held.crashes()))) {
            return false;
        }
        publish(event, attempts);
        recordOutcomes();
        return true;
    }

    private void recordOutcomes() {
        records.write(outcomes, startedAt, interrupted);
        outcomes.clear();
    }

    @Override
    public Set<EventRoute> leftOut() {
        leftOut = metNotices ? Set.of(NOTICES) : Set.of();
        return leftOut;
    }

    @Override
    public Reception receptionOf(OutboxEvent row) {
        if (!DeathNotice.isType(row.eventType())) {
            return Reception.TAKEN;
        }
        metNotices = true;
        return leftOut.isEmpty() ? Reception.LEFT_OUT : Reception.PUT_OFF;
    }

    @Override
    public String claimsAs(String ownerId, Duration timeout) {
        records.ownedBy(ownerId);
        return ownerId;
    }

    @Override
    public void nextIsLeased(Collection<String> ahead, @Nullable Suspicion heldAgainstIt) {
        leased = true;
        suspicion = heldAgainstIt;
    }

    private Duration elapsed() {
        return Duration.ofNanos(settings.nanoTime().getAsLong() - startedAt);
    }

    private boolean publish(EventEnvelope event, int attempts) {
        long start = System.nanoTime();
        Throwable failure = failureOf(event, attempts);
        long nanos = System.nanoTime() - start;
        interrupted = Thread.interrupted() || failure instanceof InterruptedException;
        if (failure == null) {
            published++;
            return end(event, attempts, Verdict.DONE, nanos);
        }
        return end(event, attempts, verdicts.onFailure(event, attempts, failure, () -> false), nanos);
    }

    /** Catches an Error too: it affects only its own event and not the rest of the batch. */
    private @Nullable Throwable failureOf(EventEnvelope event, int attempts) {
        try {
            settings.transport().publish(event, attempts);
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    private boolean end(EventEnvelope event, int attempts, Verdict outcome, long nanos) {
        Completion completion = Completion.of(event, true, attempts, outcome, nanos, names);
        return outcomes.add(leased ? completion.under(Hold.OWN) : completion);
    }
}
