package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;

/** The loop of the workers: take an event, and bring it to its listener. Any number of threads may run it. */
final class DeliveryRun implements Runnable {

    /** What a worker is told, and tells, while it works. */
    interface Shift {

        /** Whether the time to end in peace is over. */
        boolean isForcedToStop();

        /** A listener is about to be called. */
        default void begins() {}

        /** It has come back. */
        default void ends() {}

        /** A thread does not come back from a listener; another one takes its place. */
        default void isLost(Thread thread) {}

        /** Whether another thread has taken the place of this one. */
        default boolean isReplaced() {
            return false;
        }
    }

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final EventFlow flow;
    private final Listeners listeners;
    private final Gates gates;
    private final Shift shift;

    DeliveryRun(EventFlow flow, Listeners listeners, Gates gates, Shift shift) {
        this.flow = flow;
        this.listeners = listeners;
        this.gates = gates;
        this.shift = shift;
    }

    @Override
    public void run() {
        while (!shift.isForcedToStop() && !shift.isReplaced()) {
            try {
                QueuedEvent event = flow.next();
                if (event == null) {
                    return;
                }
                process(event);
            } catch (InterruptedException e) {
                // Only a forced stop ends the loop: an interrupt may also be left over from a listener.
                LOG.log(Level.DEBUG, "Worker interrupted");
            } catch (Throwable e) {
                LOG.log(Level.ERROR, "Dispatcher loop failed; it goes on with the next event", LoggedError.of(e));
            }
        }
    }

    /** Null if the event stays in the table after all; it may have waited at its gate before, and then its place there is for others. */
    private @Nullable ListenerGate gateOf(QueuedEvent event) {
        ListenerGate gate = gates.of(event.envelope());
        if (listeners.waits(event.envelope())) {
            gate.gate().gone(event);
            return null;
        }
        return gate;
    }

    /** From here on the event is in flight until its outcome is recorded, or is freed if there will be none. */
    private void process(QueuedEvent event) {
        ListenerGate gate = null;
        try {
            gate = gateOf(event);
        } finally {
            if (gate == null) {
                flow.letGo(event);
            }
        }
        if (gate == null) {
            flow.comesAfter(Duration.ZERO); // the poll makes it free for others
        } else {
            gate.take(event);
        }
    }
}
