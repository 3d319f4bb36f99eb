package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;
import outbox.internal.GuardedMetrics;
import outbox.internal.lease.LeaseBook;
import outbox.internal.outcome.Completion;
import outbox.internal.outcome.Hold;
import outbox.internal.text.EventNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.poller.PollTrigger;
import outbox.spi.LeaseStore.Suspicion;
import outbox.spi.MetricsExporter;

/**
 * What is on its way in this process, from the insert to the recorded outcome. Writer, poller, workers and the recorder of outcomes say what
 * has happened, and what follows from it for leases, queues, lanes and polls is decided here. Thread-safe.
 *
 * <p>An event comes in after its commit ({@link #hotPath()}) or from a poll ({@link #beginPoll()}), is taken by a worker ({@link #next()},
 * {@link #begin}), and leaves through {@link #recorded}, {@link #tooLate}, {@link #givenUp} or {@link #letGo}. Until then no second copy of
 * it comes in.
 */
final class EventFlow {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    /** After which a suspect is looked for again that could not be written down. */
    private static final Duration SUSPECTS_WAIT = Duration.ofMillis(100);

    /** Shared by those that the flow consists of. */
    record Parts(EventQueues queues, Intake intake, LeaseBook leases, PollRequests pollRequests) {}

    private final MetricsExporter exporter;
    private final EventNames names;
    private final BooleanSupplier canWork;
    private final LeaseWork leaseWork;
    private final EventQueues queues;
    private final Intake intake;
    private final LeaseBook leases;
    private final PollRequests pollRequests;
    private final @Nullable TurnCheck turns;
    private final Parts parts;
    private final HotPath hotPath;

    /** Hears of events that were taken out of the queues before a worker came to them. */
    private volatile Consumer<QueuedEvent> gone = event -> {};

    /** Hears of committed events. */
    private volatile Consumer<EventEnvelope> committed = event -> {};

    private final RefusedHot refused;
    private volatile boolean someRefused;

    /**
     * @param canWork whether events that come in now can be delivered and recorded
     * @param hurry called when somebody waits for an outcome: it is to be recorded without delay
     */
    EventFlow(FlowSettings settings, LeaseBook leases, BooleanSupplier canWork, Runnable hurry, LeaseWork leaseWork) {
        this.exporter = settings.exporter();
        this.names = settings.names();
        this.canWork = canWork;
        this.leaseWork = leaseWork;
        this.leases = leases;
        MetricsExporter metrics = GuardedMetrics.of(settings.exporter());
        this.queues = new EventQueues(settings, metrics, new QueueOwner(hurry));
        this.pollRequests = new PollRequests(this::claimable, queues::mostClaimable, settings.clock());
        this.intake = new Intake(settings.tracker(), queues, leases, pollRequests, metrics);
        this.turns = settings.order() == null
                ? null
                : new TurnCheck(settings.order(), settings.connections(), names, leases, pollRequests);
        this.parts = new Parts(queues, intake, leases, pollRequests);
        this.hotPath = new HotPath(parts, settings, canWork, leaseWork::renewSoon);
        this.refused = new RefusedHot(names, leases::now);
    }

    /** What the queues ask of the flow. */
    private final class QueueOwner implements QueuesOwner {

        private final Runnable hurry;

        private QueueOwner(Runnable hurry) {
            this.hurry = hurry;
        }

        @Override
        public void someoneWaits() {
            hurry.run();
        }

        @Override
        public void giveBack(QueuedEvent event) {
            giveBackQuietly(event);
        }

        /** A poll fetches them, or makes them free for others. */
        @Override
        public void moreInTable() {
            pollRequests.hotRefused();
        }
    }

    /** From now on it is told which events will not come to a worker. */
    void tellsGone(Consumer<QueuedEvent> listener) {
        gone = listener;
    }

    /** From now on it is told which events of this process are committed. */
    void tellsCommitted(Consumer<EventEnvelope> listener) {
        committed = listener;
    }

    /** An event of this process is committed. */
    void isCommitted(EventEnvelope event) {
        committed.accept(event);
    }

    /** What this consists of. */
    Parts parts() {
        return parts;
    }

    /** Told by the writer's hook what happened. */
    HotPath hotPath() {
        return hotPath;
    }

    /** The hot queue had no room for the event: tells it. */
    void refused(EventEnvelope event) {
        someRefused = true;
        refused.tell(event);
    }

    /** Tells how many were refused of which nothing was told, if the time for it has come. */
    void tellRefused() {
        if (someRefused) {
            refused.tick();
        }
    }

    /** As {@link #tellRefused}, at once. */
    void tellAllRefused() {
        refused.close();
    }

    /** The way in for events that come one by one. */
    Intake intake() {
        return intake;
    }

    EventNames names() {
        return names;
    }

    boolean isOrdered() {
        return queues.isOrdered();
    }

    /** The exporter as it was given. */
    MetricsExporter exporter() {
        return exporter;
    }

    /** Counts there what is counted here, unless that is the same; nothing escapes. */
    MetricsExporter countingBeside(MetricsExporter other) {
        return other == exporter ? MetricsExporter.NOOP : GuardedMetrics.of(other);
    }

    boolean canWork() {
        return canWork.getAsBoolean();
    }

    /** A poll is about to read the table. */
    PollPass beginPoll() {
        pollRequests.pollStarting();
        if (!leases.givenBack().isEmpty()) {
            leaseWork.releaseGivenBack();
        }
        return PollPass.begin(parts);
    }

    /** How many rows may be read from the table now. */
    int claimable() {
        return canWork() ? queues.claimable() : 0;
    }

    /** How many events from the table can still be taken as far as their number goes; 0 once this is closed. */
    int coldRoom() {
        return queues.room(Source.COLD);
    }

    void pollWhenRoomFor(int events) {
        pollRequests.pollWhenRoomFor(events);
    }

    void connect(PollTrigger trigger) {
        pollRequests.add(trigger);
    }

    /** Waits for an event; null once this is closed and empty. */
    @Nullable
    QueuedEvent next() throws InterruptedException {
        return queues.take();
    }

    /** Begins an event that a worker has taken; false if it must not be delivered here, or not now, and is to be {@link #letGo}. */
    boolean begin(QueuedEvent event) {
        if (event.source() == Source.COLD) {
            pollRequests.roomChanged();
        }
        return !leases.isOn() || ((turns == null || turns.isTurnOf(event)) && isStillOurs(event));
    }

    /** An event that waited longer than its lease, because this process stood still, may be with another one by now. */
    private boolean isStillOurs(QueuedEvent event) {
        boolean ours = leases.start(event.envelope().eventId());
        if (!ours) {
            LOG.log(
                    Level.WARNING,
                    "The lease of " + names.of(event.envelope()) + " expired while it waited; it is left alone");
        }
        return ours;
    }

    /** The right under which the event is delivered; null if it is not leased. */
    @Nullable
    Hold holdOn(QueuedEvent event) {
        return leases.holdOn(event.envelope().eventId());
    }

    /** Why the event is suspected of ending its process; null if it is not. */
    @Nullable
    Suspicion suspicionOf(QueuedEvent event) {
        return leases.suspicionOf(event.envelope().eventId());
    }

    /** Writes down that the delivery of a suspect begins; false if it must not begin now, see {@link #waitForOthers}. */
    boolean writeDown(QueuedEvent event) {
        boolean written = leaseWork.writeDown(event.envelope().eventId(), event.attempts());
        if (!written && waitForOthers(event) == null) {
            pollRequests.pollAfter(SUSPECTS_WAIT);
        }
        return written;
    }

    /** For how long a suspect is to be put off that must not begin beside others; null if it is to be {@link #letGo}. */
    @Nullable
    Duration waitForOthers(QueuedEvent event) {
        return leases.waitForOthers(event.envelope().eventId());
    }

    /** Whether other events may have to wait for this one. */
    boolean hasKey(QueuedEvent event) {
        return queues.hasKey(event);
    }

    /** The listener has returned, and the outcome is about to be recorded. */
    void delivered(Completion completion) {
        queues.delivered(completion);
    }

    /** The event is not delivered here after all, and stays in the table. Each step is taken whatever becomes of the one before. */
    void letGo(QueuedEvent event) {
        try {
            queues.broke(event);
        } finally {
            giveBack(event.envelope().eventId(), event.source() == Source.COLD);
        }
    }

    /** Each step is taken whatever becomes of the one before. A lease that could not be given back is not renewed, and expires. */
    private void giveBack(String eventId, boolean cold) {
        try {
            leases.giveBack(eventId);
        } finally {
            intake.release(eventId, cold);
        }
    }

    /** As {@link #giveBack}, but nothing escapes: one that cannot be given back must not keep others from it. */
    private void giveBackQuietly(QueuedEvent event) {
        try {
            gone.accept(event);
            giveBack(event.envelope().eventId(), event.source() == Source.COLD);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot give an event back properly; its lease expires later", LoggedError.of(e));
        }
    }

    /** The outcome is in the table. Returns whether the event was leased. */
    boolean recorded(Completion completion) {
        boolean wasLeased = leaseEnded(completion);
        if (completion.letsOthersFollow()) {
            intake.ended(completion, true);
            queues.ended(completion);
        } else {
            queues.broke(completion);
            intake.ended(completion, false);
        }
        return wasLeased;
    }

    private boolean leaseEnded(Completion completion) {
        return leases.isOn() && leases.ended(completion.eventId(), completion.hold());
    }

    /** Another process had taken the event over, and decides what becomes of it. */
    void tooLate(Completion completion) {
        queues.broke(completion);
        leaseEnded(completion);
        intake.ended(completion, false);
    }

    /** The outcome will never be in the table. */
    void givenUp(Completion completion) {
        queues.broke(completion);
        giveBack(completion.eventId(), completion.cold());
    }

    /** An event will be due after that time. */
    void comesAfter(Duration delay) {
        pollRequests.pollAfter(delay);
    }

    /** An event will be due at that time. */
    void comesAt(Instant due) {
        pollRequests.pollAt(due);
    }

    /** From now on nothing comes in; what waits can still be taken. */
    void close() {
        queues.close();
        hotPath.overdueRenewed(hotPath.overdue());
    }

    boolean isClosed() {
        return queues.isClosed();
    }

    /** Lets go of all that waits. */
    int discardWaiting() {
        return queues.drainTo(this::giveBackQuietly);
    }
}
