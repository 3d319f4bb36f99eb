package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import outbox.AsyncListener;
import outbox.HeaderProvider;
import outbox.internal.outcome.CompletionBuffer;
import outbox.internal.text.SafeLog;

/**
 * Calls a listener and does not wait for the stage that it returns; whichever thread completes the stage hands its outcome on. Until it has
 * returned the stage, it keeps a thread as any other listener does, with the same limits.
 */
final class AsyncCaller implements Caller {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final DirectCaller.Parts parts;
    private final AsyncListener listener;
    private final CompletionBuffer completions;
    private final Elsewhere elsewhere;
    private final Ending ending;
    private final Set<InListener> underWay = ConcurrentHashMap.newKeySet();

    /**
     * Who keeps watch while threads are in the listener.
     *
     * @param workers hears when a worker is in the listener, and when it does not come back
     * @param cancelling cancels stages: what depends on them is foreign code, for which no thread of ours may wait
     */
    record Ending(DeliveryRun.Shift workers, OwnThreads cancelling) {}

    AsyncCaller(
            DirectCaller.Parts parts,
            AsyncListener listener,
            CompletionBuffer completions,
            Elsewhere elsewhere,
            Ending ending) {
        this.parts = parts;
        this.listener = listener;
        this.completions = completions;
        this.elsewhere = elsewhere;
        this.ending = ending;
    }

    /** While outcomes cannot be recorded, nothing more is begun: the thread that completes a stage must not wait. */
    @Override
    public void call(Passed passed) {
        call(passed, ending.workers);
    }

    /** The same, with somebody else to hear of it. */
    void call(Passed passed, DeliveryRun.Shift who) {
        call(passed, who, () -> {});
    }

    /** The same, on the thread of a worker that waits until the call has ended. */
    Caller thatWaits() {
        return passed -> {
            CountDownLatch ended = new CountDownLatch(1);
            call(passed, ending.workers, ended::countDown);
            await(ended);
        };
    }

    /** A call ends by its timeout, at the latest. */
    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the shutdown does not wait for it
        }
    }

    private void call(Passed passed, DeliveryRun.Shift who, Runnable whenEnded) {
        completions.awaitRoom();
        Call call = new Call(parts.clockwork(), passed.gate().timeout());
        RunningDelivery delivery = parts.steps().begin(passed, call);
        if (delivery == null) {
            passed.gate().begun();
            whenEnded.run();
            return;
        }
        elsewhere.begins();
        new InListener(delivery, who, whenEnded).call();
    }

    /** One call, from its beginning to the end of its stage. */
    private final class InListener {

        private final RunningDelivery delivery;
        private final DeliveryRun.Shift who;
        private final Runnable whenEnded;
        private final Thread thread = Thread.currentThread();

        /** Whether the thread is in the listener, as far as somebody counts on its coming back. */
        private final AtomicBoolean inside = new AtomicBoolean(true);

        private volatile @Nullable CompletionStage<?> stage;

        private InListener(RunningDelivery delivery, DeliveryRun.Shift who, Runnable whenEnded) {
            this.delivery = delivery;
            this.who = who;
            this.whenEnded = whenEnded;
        }

        private void call() {
            underWay.add(this);
            who.begins();
            delivery.call().begins(true, this::giveUp);
            CompletionStage<?> returned = null;
            Throwable failure = delivery.restore();
            try {
                if (failure == null) {
                    returned = returned();
                }
            } catch (Throwable e) {
                failure = e;
            }
            delivery.call().leavesThread();
            Thread.interrupted(); // the flag belongs to the listener
            if (leave()) {
                who.ends();
            }
            if (returned == null) {
                ended(failure);
            } else {
                stage = returned;
                follow(returned);
            }
        }

        /** What the event carries belongs to this thread until the listener has returned. */
        private CompletionStage<?> returned() throws Exception {
            HeaderProvider.Scope restored = delivery.restoreHeaders();
            try {
                Throwable refused = parts.listeners().before(delivery.event());
                return refused == null
                        ? Objects.requireNonNull(
                                listener.onEvent(delivery.event(), delivery), "the listener returned no stage")
                        : CompletableFuture.failedFuture(refused);
            } finally {
                restored.close();
            }
        }

        /** Whether this is the first to say that the thread is not in the listener any more. */
        private boolean leave() {
            boolean first = inside.getAndSet(false);
            if (first) {
                delivery.passed().gate().begun();
            }
            return first;
        }

        private void follow(CompletionStage<?> returned) {
            delivery.call().endsBy(() -> soon(this::cancel));
            try {
                returned.whenComplete((outcome, thrown) -> ended(failureOf(outcome, thrown)));
            } catch (Throwable e) {
                ended(e); // a stage of somebody's own making
            }
        }

        private void ended(@Nullable Throwable failure) {
            Call.End end = delivery.call().ends();
            if (end == Call.End.AGAIN) {
                return;
            }
            underWay.remove(this);
            if (end == Call.End.GIVEN_UP) {
                parts.steps().cameBack(List.of(delivery));
                return;
            }
            try {
                if (!delivery.isUnreadable()) {
                    parts.listeners().afterWithHeaders(delivery, failure);
                }
                parts.steps().end(delivery, end, failure, false);
            } finally {
                elsewhere.ends();
                whenEnded.run();
            }
        }

        /** Only some stages can be cancelled; one that cannot is given up if it does not end by itself. */
        private void cancel() {
            CompletionStage<?> returned = stage;
            if (returned == null) {
                return;
            }
            try {
                returned.toCompletableFuture().cancel(true);
            } catch (Throwable e) {
                LOG.log(Level.DEBUG, "A stage cannot be cancelled", e);
            }
        }

        private void giveUp() {
            try {
                if (leave()) {
                    who.isLost(thread);
                }
                parts.steps().giveUp(List.of(delivery));
            } finally {
                elsewhere.ends();
                whenEnded.run();
            }
        }
    }

    private static @Nullable Throwable failureOf(@Nullable Object outcome, @Nullable Throwable thrown) {
        if (thrown != null) {
            return thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        }
        return Listeners.failureIn(outcome);
    }

    /** Without a thread nothing is cancelled. */
    private void soon(Runnable cancelling) {
        try {
            ending.cancelling.execute(cancelling);
        } catch (Throwable e) {
            LOG.log(Level.DEBUG, "There is no thread that cancels stages", e);
        }
    }

    /** There is no more time: what can be cancelled ends, and its events go to others at once. */
    @Override
    public void close() {
        if (!underWay.isEmpty()) {
            soon(() -> underWay.forEach(InListener::cancel));
        }
        ending.cancelling.close();
    }
}
