package outbox.domain;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import outbox.EventEnvelope;
import outbox.dispatch.ErrorSummary;
import outbox.dispatch.RetryPolicy;
import outbox.dispatch.UnroutableEventException;
import outbox.internal.ErrorText;
import outbox.internal.LoggedError;
import outbox.internal.ShortTransaction;
import outbox.poller.OutboxPollerHandler;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.Held;

/** Publishes the events of one claim after another, in the calling thread, and records what became of each. */
final class RelayRound implements OutboxPollerHandler {

    private static final Logger LOG = System.getLogger(OutboxRelayService.class.getName());

    private final OutboxTransport transport;
    private final ConnectionProvider connections;
    private final RelayMarks marks;
    private final RetryPolicy retryPolicy;
    private final int maxAttempts;
    private final Duration publishWithin;
    private int room;
    private int published;
    private long startedAt;

    RelayRound(OutboxTransport transport, ConnectionProvider connections, RelayMarks marks, RelayLimits limits) {
        this.transport = transport;
        this.connections = connections;
        this.marks = marks;
        this.retryPolicy = limits.retryPolicy();
        this.maxAttempts = limits.maxAttempts();
        // The other half is left for the event that is being published when the time is up.
        this.publishWithin = limits.lease().dividedBy(2);
    }

    void begin(int batchSize) {
        room = batchSize;
        published = 0;
        startedAt = System.nanoTime();
    }

    int published() {
        return published;
    }

    @Override
    public int availableCapacity() {
        return room;
    }

    /** Returns false when leases may end soon: what is left is then given back instead of being published twice. */
    @Override
    public boolean handle(EventEnvelope event, int attempts) {
        if (System.nanoTime() - startedAt >= publishWithin.toNanos()) {
            return false;
        }
        Held held = new Held(event.eventId(), attempts);
        if (attempts >= maxAttempts) {
            // Each attempt ended together with its process; one more would end this one too.
            mark(event, conn -> marks.dead(conn, held, LeaseStore.USED_UP));
            return true;
        }
        publish(event, held);
        return true;
    }

    private void publish(EventEnvelope event, Held held) {
        try {
            transport.publish(event);
        } catch (Throwable e) {
            // An Error too: it harms its own event and not the rest of the batch.
            failed(event, held, e);
            return;
        }
        published++;
        mark(event, conn -> marks.done(conn, held));
    }

    private void failed(EventEnvelope event, Held held, Throwable failure) {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        String error = ErrorText.limit(ErrorSummary.withoutContent().of(event, failure));
        int failures = held.attempts() + 1;
        if (failures >= maxAttempts || failure instanceof UnroutableEventException) {
            LOG.log(Level.ERROR, event + " cannot be published and is marked DEAD: " + error);
            mark(event, conn -> marks.dead(conn, held, error));
            return;
        }
        Duration delay = Duration.ofMillis(Math.max(0, retryPolicy.computeDelayMs(failures)));
        mark(event, conn -> marks.retry(conn, held, delay, error));
    }

    private interface Mark {
        void on(Connection conn);
    }

    /** A mark that fails is no failure of the event: its lease ends, and it is published again. */
    private void mark(EventEnvelope event, Mark mark) {
        try {
            ShortTransaction.run(connections, conn -> {
                mark.on(conn);
                return true;
            });
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "Cannot record what became of " + event + "; it comes again when its lease has ended",
                    LoggedError.of(e));
        }
    }
}
