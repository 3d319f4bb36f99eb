package outbox;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Supplier;
import outbox.internal.check.Require;

/**
 * A listener with settings: how it is called, how often and for how long, and what follows when it fails. Each method returns a changed copy.
 * What is not set is as the outbox has it.
 *
 * <pre>{@code
 * .listener("OrderPlaced", Listener.of((event, delivery) -> warehouse.ship(event))
 *         .timeout(Duration.ofSeconds(30))
 *         .concurrency(2))
 * .listener("PriceChanged", Listener.async((event, delivery) -> prices.send(event)).concurrency(256))
 * .listener("Mail", Listener.batch(100, Duration.ofMillis(20), mailer::sendAll))
 * }</pre>
 */
public final class Listener implements EventListener {

    /** How many stages of an async listener are under way at once, unless {@link #concurrency} says otherwise. */
    public static final int DEFAULT_ASYNC_CONCURRENCY = 64;
    /** How long the stage of an async listener may take, unless {@link #timeout} says otherwise: one that never completes must not stay for ever. */
    public static final Duration DEFAULT_ASYNC_TIMEOUT = Duration.ofMinutes(1);
    /** How many calls that did not end in time are left alone before the listener is paused, unless {@link #mostAbandoned} says otherwise. */
    public static final int DEFAULT_MOST_ABANDONED = 4;

    private final ListenerCall call;
    private final ListenerSettings settings;
    private final Supplier<AfterDead> afterDead;

    private Listener(ListenerCall call, ListenerSettings settings, Supplier<AfterDead> afterDead) {
        this.call = call;
        this.settings = settings;
        this.afterDead = afterDead;
    }

    private static Listener of(ListenerCall call) {
        return new Listener(call, new ListenerSettings(), () -> AfterDead.CONTINUE);
    }

    /** A listener that returns when the event is delivered, and throws if it cannot be. */
    public static Listener of(EventListener listener) {
        Objects.requireNonNull(listener, "listener");
        if (listener instanceof Listener known) {
            return known;
        }
        OutcomeListener calling = (event, delivery) -> {
            listener.onEvent(event);
            return Outcome.done();
        };
        return new Listener(new ListenerCall.Direct(calling), new ListenerSettings(), listener::afterDead);
    }

    /** A listener that says what has become of the event. */
    public static Listener of(OutcomeListener listener) {
        return of(new ListenerCall.Direct(Objects.requireNonNull(listener, "listener")));
    }

    /**
     * A listener that returns a stage. {@link #concurrency} says how many of them may be under way at once, by default
     * {@value #DEFAULT_ASYNC_CONCURRENCY}, and {@link #timeout} how long one may take, by default a minute.
     */
    public static Listener async(AsyncListener listener) {
        return of(new ListenerCall.Async(Objects.requireNonNull(listener, "listener")))
                .timeout(DEFAULT_ASYNC_TIMEOUT)
                .concurrency(DEFAULT_ASYNC_CONCURRENCY);
    }

    /**
     * A listener that gets many events at once. In order, a batch holds no two events of one key.
     * {@link #concurrency} says how many batches may run at once, by default one; they run on threads of their own.
     *
     * @param size how many events a batch has at most
     * @param linger how long the first event of a batch may wait for others
     */
    public static Listener batch(int size, Duration linger, BatchListener listener) {
        Require.atLeast(1, size, "batch size");
        Objects.requireNonNull(listener, "listener");
        if (linger.isNegative()) {
            throw new IllegalArgumentException("batch linger must not be negative, was " + linger);
        }
        return of(new ListenerCall.Batch(listener, size, linger)).concurrency(1);
    }

    /** By which name logs, meters and pauses know it. Default: the types of events that it was registered for. */
    public Listener named(String name) {
        return with(copy -> copy.name = Require.text(name, "name"));
    }

    /** How long an event waits that this listener could not handle; a {@link outbox.dispatch.RetryPolicy} or a function of your own. */
    public Listener retryPolicy(RetryDelays retryPolicy) {
        return with(copy -> copy.retryPolicy = Objects.requireNonNull(retryPolicy, "retryPolicy"));
    }

    /** How many failures make an event DEAD; with 1 the first is final. */
    public Listener maxAttempts(int maxAttempts) {
        return with(copy -> copy.maxAttempts = Require.atLeast(1, maxAttempts, "maxAttempts"));
    }

    /**
     * From which age on an event is not worth delivering. It ends DEAD with an error that begins with "(too old)", and is counted by
     * {@link outbox.spi.ListenerMetrics#eventExpired}, not as a failure. Default: events do not expire.
     */
    public Listener expiresAfter(Duration age) {
        return with(copy -> copy.expiry = Require.positive(age, "expiresAfter"));
    }

    /**
     * How long a delivery may take. Then its thread is interrupted, or its stage cancelled, and it counts as a failure, whatever it returns. If it
     * does not end even so, another thread takes over, and neither the event nor one behind it is delivered here before the old call has
     * ended. Default: none.
     */
    public Listener timeout(Duration timeout) {
        return with(copy -> copy.timeout = Require.positive(timeout, "timeout"));
    }

    /** How many deliveries, or batches, may run at once in this process. Events above that wait, and keep no other listener's events waiting. */
    public Listener concurrency(int concurrency) {
        return with(copy -> copy.concurrency = Require.atLeast(1, concurrency, "concurrency"));
    }

    /** How many deliveries may begin in a time, in this process. The first ones come at once. */
    public Listener rateLimit(int deliveries, Duration per) {
        Require.atLeast(1, deliveries, "rateLimit");
        Require.positive(per, "rateLimit per");
        return with(copy -> copy.rateLimit = new ListenerSettings.RateLimit(deliveries, per));
    }

    /**
     * Calls it on threads of its own, no more of them at once than the given {@link #concurrency}. A factory of virtual threads is
     * {@link VirtualThreads}.
     */
    public Listener threads(ThreadFactory threads, int concurrency) {
        return concurrency(concurrency).with(copy -> copy.threads = Objects.requireNonNull(threads, "threads"));
    }

    /** What this listener's failures mean; what it does not know, the classifier of the outbox may. */
    public Listener classifier(FailureClassifier classifier) {
        return with(copy -> copy.classifier = Objects.requireNonNull(classifier, "classifier"));
    }

    /** When deliveries are suspended because the receiver is away. */
    public Listener breaker(BreakerSettings breaker) {
        return with(copy -> copy.breaker = Objects.requireNonNull(breaker, "breaker"));
    }

    /** How many calls that did not end in time are left alone before the listener is paused here until one of them ends. */
    public Listener mostAbandoned(int calls) {
        return with(copy -> copy.mostAbandoned = Require.atLeast(1, calls, "mostAbandoned"));
    }

    /** Lets later events of an aggregate wait for a person when one that this listener could not handle is DEAD. Matters only in order. */
    public Listener holdingKeyAfterDead() {
        return new Listener(call, settings, () -> AfterDead.HOLD_KEY);
    }

    private Listener with(Consumer<ListenerSettings> change) {
        ListenerSettings copy = settings.copy();
        change.accept(copy);
        return new Listener(call, copy, afterDead);
    }

    /** How it is called. */
    public ListenerCall call() {
        return call;
    }

    /** What was set. */
    public ListenerSettings settings() {
        return settings;
    }

    @Override
    public AfterDead afterDead() {
        return afterDead.get();
    }

    @Override
    public Listener configured() {
        return this;
    }

    /** For callers that know nothing of outcomes, such as a bus: waits for the outcome, and throws unless it is "done". */
    @Override
    public void onEvent(EventEnvelope event) throws Exception {
        Throwable failure = outcomeOf(event, new UnleasedDelivery(event)).asFailure();
        if (failure instanceof Exception e) {
            throw e;
        }
        if (failure != null) {
            throw new CompletionException(failure);
        }
    }

    private Outcome outcomeOf(EventEnvelope event, Delivery delivery) throws Exception {
        if (call instanceof ListenerCall.Direct direct) {
            return direct.listener().onEvent(event, delivery);
        }
        if (call instanceof ListenerCall.Batch batch) {
            return batch.listener().onEvents(List.of(delivery)).get(0);
        }
        CompletionStage<Outcome> stage = ((ListenerCall.Async) call).listener().onEvent(event, delivery);
        return stage.toCompletableFuture().get();
    }
}
