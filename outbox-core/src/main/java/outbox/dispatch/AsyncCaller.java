package outbox.dispatch;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import outbox.AsyncListener;
import outbox.HeaderProvider;
import outbox.Outcome;
import outbox.internal.outcome.CompletionBuffer;

/** Calls a listener and does not wait for the stage that it returns; whichever thread completes the stage hands its outcome on. */
final class AsyncCaller implements Caller {

    private final DirectCaller.Parts parts;
    private final AsyncListener listener;
    private final CompletionBuffer completions;
    private final Elsewhere elsewhere;

    AsyncCaller(DirectCaller.Parts parts, AsyncListener listener, CompletionBuffer completions, Elsewhere elsewhere) {
        this.parts = parts;
        this.listener = listener;
        this.completions = completions;
        this.elsewhere = elsewhere;
    }

    /** While outcomes cannot be recorded, nothing more is begun: the thread that completes a stage must not wait. */
    @Override
    public void call(Passed passed) {
        call(passed, () -> {});
    }

    private void call(Passed passed, Runnable whenEnded) {
        completions.awaitRoom();
        Call call = new Call(parts.clockwork(), passed.gate().timeout());
        RunningDelivery delivery = parts.steps().begin(passed, call);
        if (delivery == null) {
            whenEnded.run();
            return;
        }
        elsewhere.begins();
        call.begins(false, () -> giveUp(delivery, whenEnded));
        Throwable unreadable = delivery.restore();
        if (unreadable != null) {
            ended(delivery, unreadable, whenEnded);
            return;
        }
        CompletionStage<Outcome> stage;
        try {
            stage = stageOf(delivery);
        } catch (Throwable e) {
            ended(delivery, e, whenEnded);
            return;
        }
        call.endsBy(() -> cancel(stage));
        stage.whenComplete((outcome, thrown) -> ended(delivery, failureOf(outcome, thrown), whenEnded));
    }

    private CompletionStage<Outcome> stageOf(RunningDelivery delivery) throws Exception {
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

    /** The same, on the thread of a worker that waits until the call has ended. */
    Caller thatWaits() {
        return passed -> {
            CountDownLatch ended = new CountDownLatch(1);
            call(passed, ended::countDown);
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

    private static @Nullable Throwable failureOf(@Nullable Outcome outcome, @Nullable Throwable thrown) {
        if (thrown != null) {
            return thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        }
        return Listeners.failureIn(outcome);
    }

    /** Only some stages can be cancelled. */
    private static void cancel(CompletionStage<Outcome> stage) {
        try {
            stage.toCompletableFuture().cancel(true);
        } catch (RuntimeException e) {
            // it is given up if it does not end by itself
        }
    }

    private void ended(RunningDelivery delivery, @Nullable Throwable failure, Runnable whenEnded) {
        Call.End end = delivery.call().ends();
        if (end == Call.End.AGAIN) {
            return;
        }
        if (end == Call.End.GIVEN_UP) {
            parts.steps().cameBack(delivery);
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

    private void giveUp(RunningDelivery delivery, Runnable whenEnded) {
        try {
            parts.steps().giveUp(delivery);
        } finally {
            elsewhere.ends();
            whenEnded.run();
        }
    }
}
