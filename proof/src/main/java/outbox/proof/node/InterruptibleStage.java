package outbox.proof.node;

import java.util.concurrent.CompletableFuture;
import outbox.Outcome;

/** Work on a thread of its own, which is interrupted when the stage is cancelled. The stage completes when the work has ended, not before. */
final class InterruptibleStage extends CompletableFuture<Outcome> {

    /** What is done. */
    interface Work {
        void run() throws Exception;
    }

    private final Thread thread;

    private InterruptibleStage(Work work) {
        this.thread = new Thread(() -> run(work), "stage");
        thread.setDaemon(true);
    }

    static InterruptibleStage of(Work work) {
        InterruptibleStage stage = new InterruptibleStage(work);
        stage.thread.start();
        return stage;
    }

    private void run(Work work) {
        try {
            work.run();
            complete(Outcome.done());
        } catch (Throwable e) {
            completeExceptionally(e);
        }
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        thread.interrupt();
        return false;
    }
}
