package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.internal.gate.Gate;
import outbox.internal.gate.Gate.Result;
import outbox.internal.outcome.Verdicts;
import outbox.internal.text.SafeLog;
import outbox.internal.text.StoredText;
import outbox.model.ListenerState;
import outbox.model.ListenerState.BreakerState;
import outbox.spi.MetricsExporter;

/** One listener with what belongs to it: its gate, its rules, and how it is called. Thread-safe. */
final class ListenerGate implements Gate.Owner<QueuedEvent> {

    /**
     * What is special about a listener.
     *
     * @param timeout how long a call may take; null for any time
     * @param expiry from which age on its events are not worth delivering; null if they always are
     */
    record Profile(
            String name,
            Verdicts verdicts,
            @Nullable Duration timeout,
            @Nullable Duration expiry) {}

    /** What gates share. */
    record Parts(EventFlow flow, DeliverySteps steps, MetricsExporter metrics) {}

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final Profile profile;
    private final Parts parts;
    private final Gate<QueuedEvent> gate;
    private final Caller caller;

    /** On the thread of a worker, which waits: for suspects, of which no more may be under way than there are workers. */
    private final Caller waiting;

    interface GateOf {
        Gate<QueuedEvent> make(Gate.Owner<QueuedEvent> owner);
    }

    /** The two ways in which a listener is called. */
    record Callers(Caller usual, Caller waiting) {}

    ListenerGate(Profile profile, Parts parts, GateOf gate, Callers callers) {
        this.profile = profile;
        this.parts = parts;
        this.caller = callers.usual;
        this.waiting = callers.waiting;
        this.gate = gate.make(this);
    }

    String name() {
        return profile.name;
    }

    /** From which age on its events are not worth delivering; null if they always are. */
    @Nullable
    Duration expiry() {
        return profile.expiry;
    }

    Verdicts verdicts() {
        return profile.verdicts;
    }

    /** How long a call may take; null for any time. */
    @Nullable
    Duration timeout() {
        return profile.timeout;
    }

    Gate<QueuedEvent> gate() {
        return gate;
    }

    /** How it is doing. */
    ListenerState state() {
        Gate.View view = gate.view();
        return new ListenerState(
                profile.name,
                view.breaker(),
                view.breakerByHand(),
                view.paused(),
                view.running(),
                view.waiting(),
                view.abandoned());
    }

    /** A worker has taken an event. */
    void take(QueuedEvent event) {
        boolean suspect = parts.steps.isSuspect(event);
        Gate.Entry entry = gate.enter(event);
        if (entry.waits()) {
            parts.flow.parts().queues().waitsAtGate(event);
        } else if (entry.entered()) {
            (suspect ? waiting : caller).call(new Passed(event, this, entry.era()));
        } else {
            parts.flow.letGo(event);
            parts.flow.comesAfter(Duration.ZERO);
        }
    }

    /** What has passed keeps no worker any more. */
    void begun() {
        gate.begun();
    }

    /** What has passed leaves. */
    void leave(Passed passed, Result result) {
        gate.leave(passed.era(), result);
    }

    /** A call that has not ended in time keeps its event, but not its place. */
    void abandons(Passed passed) {
        gate.abandons(passed.era());
        parts.metrics.callAbandoned(profile.name);
    }

    void abandonedEnds() {
        gate.abandonedEnds();
    }

    @Override
    public void goesOn(QueuedEvent event) {
        parts.flow.parts().queues().leavesGate(event);
        if (caller.isQuick() && !parts.steps.isSuspect(event)) {
            Gate.Entry entry = gate.enter(event);
            caller.call(new Passed(event, this, entry.era()));
        } else if (!parts.flow.parts().queues().resume(event)) {
            gate.gone(event);
            parts.flow.letGo(event);
        }
    }

    @Override
    public void givesBack(QueuedEvent event) {
        parts.flow.parts().queues().leavesGate(event);
        parts.flow.letGo(event);
    }

    @Override
    public void closes() {
        caller.giveBackWaiting();
    }

    @Override
    public void opens() {
        parts.flow.comesAfter(Duration.ZERO);
    }

    @Override
    public void breakerChanges(BreakerState state, Duration pause) {
        String who = "Listener " + StoredText.inOneLine(profile.name) + " of "
                + parts.flow.names().ofTable();
        switch (state) {
            case OPEN ->
                LOG.log(
                        Level.WARNING,
                        who
                                + ": its receiver seems to be away. Its events stay in the table, without using up attempts; it is tried again in "
                                + pause);
            case HALF_OPEN -> LOG.log(Level.DEBUG, who + ": tries whether its receiver is back");
            case CLOSED -> LOG.log(Level.INFO, who + ": its receiver is back, deliveries go on");
        }
        parts.metrics.recordBreaker(profile.name, state);
    }

    /** What waits here stays in the table. */
    void close() {
        gate.close().forEach(this::givesBack);
    }

    /** Interrupts what runs on threads of its own. */
    void end() {
        caller.close();
    }
}
