package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;
import outbox.internal.EventNames;
import outbox.internal.GuardedMetrics;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;
import outbox.poller.PollTrigger;
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

    /** After which an event is looked for again that came before its turn. */
    private static final Duration TURN_MAY_COME_WITHIN = Duration.ofMillis(10);

    /** What the flow needs of the rest of the dispatcher. */
    interface Surroundings {

        /** Whether events that come in now can be delivered and recorded. */
        boolean canWork();

        /** Somebody waits for an outcome: it is to be recorded without delay. */
        void hurry();
    }

    /** Shared by those that the flow consists of. */
    record Parts(
            FairEventQueue queue,
            KeyedQueue keys,
            InFlightEvents inFlight,
            NodeLeases leases,
            PollRequests pollRequests,
            DueTimes dueTimes,
            QueueDepthReporter depths,
            LargestRecent largestRow) {}

    private final FlowSettings settings;
    private final Surroundings surroundings;
    private final FairEventQueue queue;
    private final InFlightEvents inFlight;
    private final NodeLeases leases;
    private final PollRequests pollRequests;
    private final DueTimes dueTimes;
    private final Returns returns;
    private final KeyedQueue keys;
    private final Turns turns;
    private final QueueDepthReporter depths;
    private final LargestRecent largestRow = new LargestRecent(EventEnvelope.MAX_PAYLOAD_BYTES);
    private final Parts parts;
    private final Intake intake;
    private final HotPath hotPath;

    EventFlow(FlowSettings settings, NodeLeases leases, Surroundings surroundings) {
        this.settings = settings;
        this.surroundings = surroundings;
        this.leases = leases;
        MetricsExporter metrics = new GuardedMetrics(settings.exporter());
        this.queue = new FairEventQueue(settings.hotCapacity(), settings.coldCapacity(), settings.bytesEach());
        this.inFlight = new InFlightEvents(settings.tracker());
        this.pollRequests = new PollRequests(this::claimable, this::mostClaimable, settings.clock());
        this.dueTimes = new DueTimes(pollRequests, settings.clock());
        this.returns = new Returns(leases, inFlight, pollRequests);
        this.keys = new KeyedQueue(settings.ordering(), queue, returns, surroundings::hurry, this::followersLeft);
        this.turns = new Turns(leases, settings.order(), settings.connections(), settings.names());
        this.depths = new QueueDepthReporter(() -> keys.depth(Source.HOT), () -> keys.depth(Source.COLD), metrics);
        this.parts = new Parts(queue, keys, inFlight, leases, pollRequests, dueTimes, depths, largestRow);
        this.intake = new Intake(parts, metrics);
        this.hotPath = new HotPath(parts, intake, settings.clock(), settings.names(), surroundings::canWork);
    }

    /** What this consists of; for tests. */
    Parts parts() {
        return parts;
    }

    /** Told by the writer's hook what happened. */
    HotPath hotPath() {
        return hotPath;
    }

    /** The way in for events that come one by one. */
    Intake intake() {
        return intake;
    }

    EventNames names() {
        return settings.names();
    }

    boolean isOrdered() {
        return keys.isOrdered();
    }

    /** The exporter as it was given. */
    MetricsExporter exporter() {
        return settings.exporter();
    }

    /** Counts there what is counted here, unless that is the same; nothing escapes. */
    MetricsExporter countingBeside(MetricsExporter exporter) {
        return exporter == settings.exporter() ? MetricsExporter.NOOP : new GuardedMetrics(exporter);
    }

    /** A poll is about to read the table. */
    PollPass beginPoll() {
        dueTimes.pollStarting();
        leases.releaseGivenBack();
        return new PollPass(this, leases.now(), inFlight.openWindow(), pollRequests.coldEntered());
    }

    /** @param largest how much memory the largest row took; 0 if there was none */
    void endPoll(PollWindow window, long largest) {
        inFlight.closeWindow(window);
        if (largest > 0) {
            largestRow.found(largest);
        }
    }

    /** Whatever came lately, from now on the worst is assumed, until smaller rows have come again. */
    void rowsDidNotFit() {
        largestRow.found(EventEnvelope.MAX_PAYLOAD_BYTES);
    }

    /** How many rows may be read from the table now: as many as there is room for if all are as large as the largest one lately. */
    int claimable() {
        int places = surroundings.canWork() ? keys.room(Source.COLD) : 0;
        long fitting = keys.bytesLeft(Source.COLD) / largestRow.bytes();
        // With an empty queue one row is always read, however large: otherwise it would never be.
        boolean evenOne = fitting < 1 && keys.depth(Source.COLD) == 0;
        return (int) Math.min(places, evenOne ? 1 : Math.max(0, fitting));
    }

    /** How many rows may be read if none wait. */
    private int mostClaimable() {
        return (int) Math.min(settings.coldCapacity(), settings.bytesEach() / largestRow.bytes());
    }

    /** How many events from the table can still be taken as far as their number goes; 0 once this is closed. */
    int coldRoom() {
        return keys.room(Source.COLD);
    }

    /** Asks for a poll when what came in since the given count has ended; if nothing did, a poll would only find the same again. */
    void pollWhenEnded(long enteredBefore) {
        if (pollRequests.coldEntered() != enteredBefore) {
            pollRequests.pollWhenColdEnded();
        }
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
        return queue.take();
    }

    /** Begins an event that a worker has taken; false if it must not be delivered here, or not now, and is to be {@link #letGo}. */
    boolean begin(QueuedEvent event) {
        depths.changed();
        pollRequests.roomChanged();
        return isItsTurn(event) && isStillOurs(event);
    }

    private boolean isItsTurn(QueuedEvent event) {
        boolean now = turns.hasCome(event);
        if (!now) {
            pollRequests.pollAfter(TURN_MAY_COME_WITHIN); // to be found again, behind the one that it must wait for
        }
        return now;
    }

    /** An event that waited longer than its lease, because this process stood still, may be with another one by now. */
    private boolean isStillOurs(QueuedEvent event) {
        boolean ours = leases.start(event.envelope().eventId());
        if (!ours) {
            LOG.log(
                    Level.WARNING,
                    "The lease of " + names().of(event.envelope()) + " has run out while it waited; it is left alone");
        }
        return ours;
    }

    boolean isLeased(QueuedEvent event) {
        return leases.held(event.envelope().eventId()) != null;
    }

    /** Whether other events may have to wait for this one. */
    boolean hasKey(QueuedEvent event) {
        return keys.hasKey(event);
    }

    /** The listener has returned, and the outcome is about to be recorded. Nothing escapes. */
    void delivered(QueuedEvent event) {
        try {
            keys.delivered(event);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot hurry the record of an event that others wait for", LoggedError.of(e));
        }
    }

    /** The event is not delivered here after all, and stays in the table. Each step is taken whatever becomes of the one before. */
    void letGo(QueuedEvent event) {
        try {
            keys.broke(event);
        } finally {
            returns.giveBack(event.envelope().eventId(), event.source());
        }
    }

    /** The outcome is in the table. Returns whether the event was leased. */
    boolean recorded(Completion completion) {
        boolean wasLeased = leases.ended(completion.eventId(), completion.attempts());
        if (completion.letsOthersFollow()) {
            inFlight.finished(completion.eventId(), completion.attempts());
            keys.ended(completion);
        } else {
            keys.broke(completion);
            inFlight.ended(completion.eventId(), completion.attempts());
        }
        pollRequests.left(completion.source());
        return wasLeased;
    }

    /** Another process had taken the event over, and decides what becomes of it. */
    void tooLate(Completion completion) {
        keys.broke(completion);
        leases.ended(completion.eventId(), completion.attempts());
        inFlight.ended(completion.eventId(), completion.attempts());
        pollRequests.left(completion.source());
    }

    /** The outcome will never be in the table. */
    void givenUp(Completion completion) {
        keys.broke(completion);
        returns.giveBack(completion.eventId(), completion.source());
    }

    /** A retry was recorded: a poll is due when it is. The delay of a leased event began with the mark. */
    void retryComes(Outcome.Retry retry, boolean wasLeased) {
        if (wasLeased) {
            pollRequests.pollAfter(retry.delay());
        } else {
            pollRequests.pollAt(retry.nextAt());
        }
    }

    /** From now on nothing comes in; what waits can still be taken. */
    void close() {
        queue.close();
    }

    boolean isClosed() {
        return queue.isClosed();
    }

    /** Lets go of all that waits. Returns how much that was. */
    int discardWaiting() {
        List<QueuedEvent> left = queue.drain();
        for (QueuedEvent event : left) {
            keys.brokeQuietly(event);
            returns.giveBackQuietly(event.envelope().eventId(), event.source());
        }
        depths.changed();
        return left.size();
    }

    /** Those that waited behind another event have left without a worker having taken them. */
    private void followersLeft() {
        depths.changed();
        pollRequests.hotRefused(); // a poll makes them free for others
    }
}
