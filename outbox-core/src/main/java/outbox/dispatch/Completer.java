package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import outbox.internal.LoggedError;

/** The loop of the thread that records outcomes: take what has gathered, write it, go on. Ends when the buffer is closed and empty. */
final class Completer implements Runnable {

    private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());

    private final CompletionBuffer buffer;
    private final CompletionWriter writer;

    Completer(CompletionBuffer buffer, CompletionWriter writer) {
        this.buffer = buffer;
        this.writer = writer;
    }

    @Override
    public void run() {
        while (true) {
            try {
                List<Completion> group = buffer.takeGroup();
                if (group.isEmpty()) {
                    return;
                }
                writer.write(group);
            } catch (InterruptedException e) {
                // Only a closed buffer ends the loop: what is in it is known nowhere else.
                LOG.log(Level.DEBUG, "Completer interrupted");
            } catch (Throwable e) {
                LOG.log(Level.ERROR, "Completer failed; it goes on with the next group", LoggedError.of(e));
            }
        }
    }
}
