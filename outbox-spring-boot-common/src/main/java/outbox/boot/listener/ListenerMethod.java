package outbox.boot.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.Delivery;
import outbox.Listener;
import outbox.Outcome;
import outbox.VirtualThreads;
import outbox.boot.listener.ListenerTable.Route;
import outbox.dispatch.AddedJitterRetryPolicy;

/** One method with the annotation. */
final class ListenerMethod {

    private final String id;
    private final Said said;
    private final MethodShape shape;
    private final BeanMethod method;

    ListenerMethod(String id, Said said, MethodShape shape, BeanMethod method) {
        this.id = id;
        this.said = said;
        this.shape = shape;
        this.method = method;
    }

    String id() {
        return id;
    }

    Said said() {
        return said;
    }

    /**
     * What it takes.
     *
     * @param eventTypeOf the type of events whose payload is of a class
     */
    List<Route> routes(Function<Class<?>, String> eventTypeOf) {
        List<String> types = said.eventTypes();
        String aggregateType = said.aggregateType();
        Class<?> payload = shape.payloadClass();
        if (types.isEmpty() && payload != null) {
            return List.of(new Route(aggregateType, eventTypeOf.apply(payload)));
        }
        if (types.isEmpty() && aggregateType == null) {
            throw said.invalid(
                    "it does not say which events it takes",
                    "name their types, as in @OutboxListener(\"OrderPlaced\"), or take a payload of a class of yours;"
                            + " \"*\" takes what nobody else takes");
        }
        if (types.isEmpty()) {
            return List.of(new Route(aggregateType, null));
        }
        return types.stream()
                .map(type -> new Route(aggregateType, type.equals("*") ? null : type))
                .toList();
    }

    /**
     * It as the outbox calls it.
     *
     * @param alone whether the outbox has no other listener
     */
    Listener listener(ListenerDefaults defaults, boolean alone) {
        Listener listener = switch (shape.kind()) {
            case DIRECT -> onThreads(Listener.of((event, delivery) -> call(delivery)), id, defaults, alone);
            case ASYNC -> Listener.async((event, delivery) -> begin(delivery));
            case BATCH -> Listener.batch(said.batchSize(), said.batchLinger(), this::callWithAll);
        };
        return withSettings(listener.named(id), defaults);
    }

    /** As the facade does: one of several listeners leaves a worker to the others. */
    static Listener onThreads(Listener listener, String id, ListenerDefaults defaults, boolean alone) {
        if (defaults.virtualThreads() > 0) {
            return listener.threads(VirtualThreads.named("outbox-" + id + "-"), defaults.virtualThreads());
        }
        return alone ? listener : listener.concurrency(Math.max(1, defaults.workers() - 1));
    }

    private Listener withSettings(Listener listener, ListenerDefaults defaults) {
        Listener set = listener.maxAttempts(said.maxAttempts(defaults.maxAttempts()));
        if (said.firstRetry() != null || said.longestRetry() != null) {
            set = set.retryPolicy(pauses(said, defaults));
        }
        Duration timeout = said.timeout();
        if (timeout != null) {
            set = set.timeout(timeout);
        }
        Duration expiry = said.expiresAfter();
        if (expiry != null) {
            set = set.expiresAfter(expiry);
        }
        if (said.concurrency() > 0) {
            set = set.concurrency(said.concurrency());
        }
        return said.holdsKey() ? set.holdingKeyAfterDead() : set;
    }

    private static AddedJitterRetryPolicy pauses(Said said, ListenerDefaults defaults) {
        return new AddedJitterRetryPolicy(
                first(said, defaults).toMillis(),
                longest(said, defaults).toMillis(),
                AddedJitterRetryPolicy.DEFAULT_MAX_JITTER_MS);
    }

    static Duration first(Said said, ListenerDefaults defaults) {
        Duration first = said.firstRetry();
        return first == null ? defaults.firstRetry() : first;
    }

    /** Not shorter than the first, whatever the default is. */
    static Duration longest(Said said, ListenerDefaults defaults) {
        Duration longest = said.longestRetry();
        Duration first = first(said, defaults);
        if (longest != null && longest.compareTo(first) < 0) {
            throw said.invalid(
                    "longestRetry must be at least firstRetry (" + first.toMillis() + "ms), was " + longest.toMillis()
                            + "ms",
                    "correct one of them");
        }
        Duration wanted = longest == null ? defaults.longestRetry() : longest;
        return wanted.compareTo(first) < 0 ? first : wanted;
    }

    /** Whether it is called for one event at a time, and has done its work when it returns. */
    boolean isDirect() {
        return shape.kind() == MethodShape.Kind.DIRECT;
    }

    Outcome call(Delivery delivery) throws Exception {
        return outcome(method.call(shape.arguments(delivery)));
    }

    private static Outcome outcome(@Nullable Object returned) {
        return returned instanceof Outcome outcome ? outcome : Outcome.done();
    }

    private CompletionStage<Outcome> begin(Delivery delivery) throws Exception {
        Object stage = method.call(shape.arguments(delivery));
        if (stage == null) {
            throw new IllegalStateException(id + " has returned null instead of a CompletionStage");
        }
        return ((CompletionStage<?>) stage).thenApply(ListenerMethod::outcome);
    }

    /** What cannot be read is DEAD, and the others are delivered without it. */
    private List<Outcome> callWithAll(List<Delivery> batch) throws Exception {
        List<Object> elements = new ArrayList<>();
        List<@Nullable Outcome> outcomes = new ArrayList<>();
        for (Delivery delivery : batch) {
            Outcome refused = addElement(delivery, elements);
            outcomes.add(refused);
        }
        if (elements.isEmpty()) {
            return outcomes.stream().map(ListenerMethod::outcome).toList();
        }
        Object returned = method.call(elements);
        List<?> said = returned instanceof List<?> list ? list : Outcome.allDone(elements);
        if (said.size() != elements.size()) {
            throw new IllegalStateException(id + " was given " + elements.size() + " events and has returned "
                    + said.size() + " outcomes; return one for each, in their order");
        }
        var next = said.iterator();
        return outcomes.stream()
                .map(refused -> refused == null ? outcome(next.next()) : refused)
                .toList();
    }

    private @Nullable Outcome addElement(Delivery delivery, List<Object> elements) {
        try {
            elements.add(Objects.requireNonNull(shape.arguments(delivery)[0]));
            return null;
        } catch (RuntimeException e) {
            return Outcome.failed(e);
        }
    }
}
