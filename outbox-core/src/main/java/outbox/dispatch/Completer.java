package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;

/**
 * The loop of the thread that records outcomes: take what has gathered, write it, come back to what somebody had locked, go on. Ends when the
 * buffer is closed and empty and nothing is locked any more.
 *
 * <p>A group that was taken is known nowhere else. So it is kept until all of it has been reported, and tried again if something failed on the
 * way that is no answer of the database; a few times only, because other groups wait.
 */
final class Completer implements Runnable {

    static final int MAX_FAILURES = 5;
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final CompletionBuffer buffer;
    private final OpenCompletions open;
    private final CompletionWriter writer;
    private final CompletionWriter.Pause pause;
    private int failures;

    /** @param open what the writer reports to */
    Completer(CompletionBuffer buffer, OpenCompletions open, CompletionWriter writer, CompletionWriter.Pause pause) {
        this.buffer = buffer;
        this.open = open;
        this.writer = writer;
        this.pause = pause;
    }

    @Override
    public void run() {
        while (true) {
            try {
                if (open.isEmpty()) {
                    open.begin(buffer.takeGroup(writer.timeToNextTry()));
                    failures = 0;
                }
                if (!open.isEmpty()) {
                    writeGroup();
                } else if (buffer.isEnded()) {
                    writer.finish();
                    return;
                }
                writer.tryLockedAgain();
                buffer.keepRoomFor(writer.lockedCount());
            } catch (InterruptedException e) {
                // Only a closed buffer ends the loop: what is in it is known nowhere else.
                LOG.log(Level.DEBUG, "Completer interrupted");
            } catch (Throwable e) {
                LOG.log(Level.ERROR, "Completer failed; it tries what is left of the group again", LoggedError.of(e));
                failed();
            }
        }
    }

    private void writeGroup() {
        writer.write(open.undecided());
        open.end();
    }

    /** The pause gives memory the time to be freed. */
    private void failed() {
        failures++;
        if (failures >= MAX_FAILURES || !mayTryAgain()) {
            open.abandon();
        }
    }

    private boolean mayTryAgain() {
        try {
            return pause.await(PAUSE);
        } catch (Throwable e) {
            return true;
        }
    }
}
