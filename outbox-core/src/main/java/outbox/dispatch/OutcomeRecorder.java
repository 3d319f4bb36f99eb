package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import outbox.EventEnvelope;
import outbox.internal.ShortTransaction;
import outbox.spi.ConnectionProvider;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;

/**
 * Makes the outcome of a delivery durable. The listener has already run, so a database that says no is never a failure of the
 * event: the write is repeated with growing pauses. If the database stays away the outcome is given up, the row keeps its
 * state, and the event will be delivered again.
 */
final class OutcomeRecorder {

    /** Waits between two tries; false means that there is no more time and the outcome must be given up. */
    @FunctionalInterface
    interface Pause {
        boolean await(Duration time);
    }

    static final int MAX_TRIES = 8;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());

    private final ConnectionProvider connections;
    private final OutboxStore store;
    private final MetricsExporter metrics;
    private final Pause pause;

    OutcomeRecorder(ConnectionProvider connections, OutboxStore store, MetricsExporter metrics, Pause pause) {
        this.connections = connections;
        this.store = store;
        this.metrics = metrics;
        this.pause = pause;
    }

    /** Returns whether the outcome is durable. */
    boolean record(QueuedEvent event, Outcome outcome) {
        if (!writeDurably(event.envelope(), outcome)) {
            return false;
        }
        report(event, outcome);
        return true;
    }

    private boolean writeDurably(EventEnvelope event, Outcome outcome) {
        Duration wait = FIRST_PAUSE;
        for (int tries = 1; ; tries++) {
            try {
                ShortTransaction.run(connections, conn -> mark(conn, event.eventId(), outcome));
                return true;
            } catch (SQLException | RuntimeException e) {
                if (tries == MAX_TRIES || !pause.await(wait)) {
                    LOG.log(Level.ERROR, cannotRecord(event, outcome) + "; giving up, it may be delivered again", e);
                    return false;
                }
                LOG.log(Level.WARNING, cannotRecord(event, outcome) + ", trying again", e);
            }
            wait = wait.compareTo(LONGEST_PAUSE.dividedBy(2)) < 0 ? wait.multipliedBy(2) : LONGEST_PAUSE;
        }
    }

    private int mark(Connection conn, String eventId, Outcome outcome) {
        if (outcome instanceof Outcome.Retry retry) {
            return store.markRetry(conn, eventId, retry.nextAt(), retry.error());
        }
        if (outcome instanceof Outcome.Dead dead) {
            return store.markDead(conn, eventId, dead.error());
        }
        return store.markDone(conn, eventId);
    }

    private void report(QueuedEvent event, Outcome outcome) {
        if (outcome instanceof Outcome.Retry retry) {
            metrics.incrementDispatchFailure();
            LOG.log(
                    Level.DEBUG,
                    "{0} failed, next attempt at {1}: {2}",
                    event.envelope(),
                    retry.nextAt(),
                    retry.error());
        } else if (outcome instanceof Outcome.Dead dead) {
            metrics.incrementDispatchDead();
            LOG.log(
                    Level.ERROR,
                    "{0} is DEAD after {1} failed attempt(s): {2}",
                    event.envelope(),
                    event.attempts() + 1,
                    dead.error());
        } else {
            metrics.incrementDispatchSuccess();
            LOG.log(Level.DEBUG, "{0} is DONE", event.envelope());
        }
    }

    private static String cannotRecord(EventEnvelope event, Outcome outcome) {
        return "Cannot record that " + event + " is " + outcome.getClass().getSimpleName();
    }
}
