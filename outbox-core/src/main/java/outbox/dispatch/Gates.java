package outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.AsyncListener;
import outbox.BreakerSettings;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.Listener;
import outbox.ListenerCall;
import outbox.ListenerSettings;
import outbox.OutcomeListener;
import outbox.RetryDelays;
import outbox.internal.gate.Gate;
import outbox.internal.outcome.CompletionBuffer;
import outbox.internal.outcome.Verdicts;
import outbox.internal.pause.PauseBoard;
import outbox.internal.task.Alarms;
import outbox.internal.task.AlarmsInLine;
import outbox.model.ListenerState;
import outbox.model.Pause;
import outbox.registry.ListenerRegistry;
import outbox.spi.MetricsExporter;

/** The gates of all listeners of a dispatcher, made when they are first needed. Thread-safe. */
final class Gates {

    /**
     * What listeners have that say nothing else.
     *
     * @param breaker null for none
     * @param timeout null for none
     * @param concurrency how many deliveries of one listener may run at once
     * @param waiting how many events may wait for one listener before no more are taken from the table
     */
    record Defaults(
            @Nullable BreakerSettings breaker, @Nullable Duration timeout, int concurrency, int waiting) {}

    /** What all of them share. */
    record Parts(
            EventFlow flow,
            DeliverySteps steps,
            Listeners listeners,
            CompletionBuffer completions,
            DeliveryRun.Shift shift,
            MetricsExporter metrics,
            Verdicts verdicts,
            Alarms alarms,
            LongSupplier nanoTime,
            PauseBoard pauses,
            ThreadFactory threads) {}

    /** A registry that makes a new listener for each event must not fill the memory. */
    private static final int MOST_GATES = 1_000;

    private final Parts parts;
    private final Defaults defaults;
    private final ListenerRegistry registry;
    private final Elsewhere elsewhere = new Elsewhere();
    private final ListenerGate nobody;

    /** Copied when it changes, so that it can be read without a lock. */
    private volatile IdentityHashMap<EventListener, ListenerGate> gates = new IdentityHashMap<>();

    Gates(Parts parts, Defaults defaults, ListenerRegistry registry) {
        this.parts = parts;
        this.defaults = defaults;
        this.registry = registry;
        this.nobody = make(parts.listeners.nobody(), "nobody");
        registry.byName().forEach((name, listener) -> of(listener, name));
    }

    /** The gate of the event's listener; one that lets everything pass if it has none, or if the registry fails. */
    ListenerGate of(EventEnvelope event) {
        EventListener listener;
        try {
            listener = registry.listenerFor(event.aggregateType(), event.eventType());
        } catch (Throwable e) {
            return nobody; // asks again, and fails where it is seen
        }
        return listener == null ? nobody : of(listener, event.eventType());
    }

    /** Whether events of the listener are to be taken from the table. */
    Gate.Status statusOf(EventListener listener) {
        ListenerGate gate = gates.get(listener);
        return gate == null ? Gate.Status.OPEN : gate.gate().status();
    }

    private ListenerGate of(EventListener listener, String name) {
        ListenerGate gate = gates.get(listener);
        return gate == null ? add(listener, name) : gate;
    }

    private synchronized ListenerGate add(EventListener listener, String name) {
        ListenerGate there = gates.get(listener);
        if (there != null) {
            return there;
        }
        IdentityHashMap<EventListener, ListenerGate> copy = new IdentityHashMap<>(gates);
        if (copy.size() >= MOST_GATES) {
            copy.values().removeIf(gate -> gate.gate().view().isIdle());
        }
        ListenerGate gate = make(listener.configured(), name);
        copy.put(listener, gate);
        gates = copy;
        return gate;
    }

    private ListenerGate make(Listener listener, String name) {
        ListenerSettings settings = listener.settings();
        Duration timeout = settings.timeout() == null ? defaults.timeout : settings.timeout();
        BreakerSettings breaker = settings.breaker();
        int slots = slots(listener);
        Gate.Limits limits = new Gate.Limits(
                slots,
                beginners(listener),
                settings.rateLimit(),
                breaker == null ? defaults.breaker : breaker,
                Math.max(defaults.waiting, Math.min(slots, 2 * batchSize(listener))),
                settings.mostAbandoned());
        String ownName = settings.name() == null ? name : settings.name();
        return new ListenerGate(
                new ListenerGate.Profile(ownName, verdicts(settings), timeout, settings.expiry()),
                new ListenerGate.Parts(parts.flow, parts.steps, parts.metrics),
                owner -> new Gate<>(limits, parts.alarms, parts.nanoTime, owner, () -> whyPaused(ownName)),
                callers(listener, partsOfCallers(timeout)));
    }

    /** Nearly all calls end in time, and all of a listener have the same. */
    private DirectCaller.Parts partsOfCallers(@Nullable Duration timeout) {
        Alarms alarms = timeout == null ? parts.alarms : new AlarmsInLine(parts.alarms, parts.nanoTime, timeout);
        return new DirectCaller.Parts(parts.steps, parts.listeners, new Call.Clockwork(alarms, parts.nanoTime));
    }

    private @Nullable String whyPaused(String name) {
        Pause pause = parts.pauses.ofListener(name);
        if (pause == null) {
            return null;
        }
        return pause.isEverywhere() ? pause.reason() + " (" + pause.who() + ", for all processes)" : pause.reason();
    }

    /** Listeners may be paused now, or go on. */
    void pausesChanged() {
        all().forEach(gate -> gate.gate().pauseChanged());
    }

    private Verdicts verdicts(ListenerSettings settings) {
        RetryDelays policy = settings.retryPolicy();
        return parts.verdicts.with(
                policy == null ? null : policy::computeDelayMs, settings.maxAttempts(), settings.classifier());
    }

    private static int batchSize(Listener listener) {
        return listener.call() instanceof ListenerCall.Batch batch ? batch.size() : 0;
    }

    /** An async listener keeps a worker until it has returned its stage, if it has no threads of its own: no more of them than any other one. */
    private int beginners(Listener listener) {
        boolean onWorkers = listener.call() instanceof ListenerCall.Async
                && listener.settings().threads() == null;
        return onWorkers ? defaults.concurrency : Gate.Limits.NOT_SAID;
    }

    /** A batch listener gathers the next batches while it works on others. */
    private int slots(Listener listener) {
        Integer concurrency = listener.settings().concurrency();
        int atOnce = concurrency == null ? defaults.concurrency : concurrency;
        return listener.call() instanceof ListenerCall.Batch batch
                ? (int) Math.min(Integer.MAX_VALUE, 2L * batch.size() * atOnce)
                : atOnce;
    }

    private ListenerGate.Callers callers(Listener listener, DirectCaller.Parts callerParts) {
        ListenerCall call = listener.call();
        ThreadFactory given = listener.settings().threads();
        OwnThreads own = new OwnThreads(given == null ? parts.threads : given);
        if (call instanceof ListenerCall.Batch batch) {
            return inBatches(callerParts, batch, listener.settings().concurrency(), own);
        }
        return call instanceof ListenerCall.Async async
                ? async(callerParts, async.listener(), given != null, own)
                : direct(callerParts, ((ListenerCall.Direct) call).listener(), given != null, own);
    }

    private ListenerGate.Callers direct(
            DirectCaller.Parts callerParts, OutcomeListener listener, boolean hasThreads, OwnThreads own) {
        DirectCaller direct = new DirectCaller(callerParts, listener, parts.shift);
        return new ListenerGate.Callers(hasThreads ? elsewhere(direct::call, own) : direct, direct);
    }

    private ListenerGate.Callers async(
            DirectCaller.Parts callerParts, AsyncListener listener, boolean hasThreads, OwnThreads own) {
        AsyncCaller async = new AsyncCaller(
                callerParts, listener, parts.completions, elsewhere, new AsyncCaller.Ending(parts.shift, own));
        return new ListenerGate.Callers(hasThreads ? elsewhere(async::call, own) : async, async.thatWaits());
    }

    private Caller elsewhere(ElsewhereCaller.There there, OwnThreads own) {
        return new ElsewhereCaller(parts.steps, there, own, elsewhere, parts.shift);
    }

    private ListenerGate.Callers inBatches(
            DirectCaller.Parts callerParts, ListenerCall.Batch batch, @Nullable Integer concurrency, OwnThreads own) {
        BatchDelivery delivery = new BatchDelivery(callerParts, batch.listener());
        Caller inBatches = new BatchCaller(
                callerParts,
                new BatchCaller.BatchSettings(batch, concurrency == null ? 1 : concurrency),
                delivery,
                own,
                new BatchCaller.Surroundings(elsewhere, parts.shift));
        return new ListenerGate.Callers(inBatches, passed -> delivery.deliver(List.of(passed), parts.shift));
    }

    /** All that were needed so far. */
    Collection<ListenerGate> all() {
        Set<ListenerGate> all = Collections.newSetFromMap(new IdentityHashMap<>());
        all.addAll(gates.values());
        return all;
    }

    /** Those of that name. */
    List<ListenerGate> named(String name) {
        return all().stream().filter(gate -> gate.name().equals(name)).toList();
    }

    List<ListenerState> states() {
        return all().stream()
                .map(ListenerGate::state)
                .sorted(Comparator.comparing(ListenerState::name))
                .toList();
    }

    /** The deliveries that no worker waits for. */
    Elsewhere elsewhere() {
        return elsewhere;
    }

    /** What waits at gates stays in the table; what runs goes on. */
    void close() {
        new ArrayList<>(all()).forEach(ListenerGate::close);
    }

    /** Interrupts what runs on threads of listeners. */
    void end() {
        new ArrayList<>(all()).forEach(ListenerGate::end);
    }
}
