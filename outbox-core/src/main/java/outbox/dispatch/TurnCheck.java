package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import outbox.internal.lease.LeaseBook;
import outbox.internal.text.EventNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.spi.ConnectionProvider;
import outbox.spi.OrderedStore;

/**
 * Asks the table whether it is an event's turn. Most often that is known already, from the insert or from the claim and the lane; see {@link
 * LeaseBook#isTurnUnknown}.
 */
final class TurnCheck {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    /** After which an event is looked for again that came before its turn. */
    private static final Duration TURN_MAY_COME_WITHIN = Duration.ofMillis(10);

    private final OrderedStore store;
    private final ConnectionProvider connections;
    private final EventNames names;
    private final LeaseBook leases;
    private final PollRequests pollRequests;

    TurnCheck(
            OrderedStore store,
            ConnectionProvider connections,
            EventNames names,
            LeaseBook leases,
            PollRequests pollRequests) {
        this.store = store;
        this.connections = connections;
        this.names = names;
        this.leases = leases;
        this.pollRequests = pollRequests;
    }

    /** Whether the event may begin; one that may not is found again by a poll, behind the one that it must wait for. */
    boolean isTurnOf(QueuedEvent event) {
        if (!leases.isTurnUnknown(event.envelope().eventId()) || isFirst(event)) {
            return true;
        }
        pollRequests.pollAfter(TURN_MAY_COME_WITHIN);
        return false;
    }

    private boolean isFirst(QueuedEvent event) {
        String eventId = event.envelope().eventId();
        try {
            boolean first = ShortTransaction.run(connections, conn -> store.isFirst(conn, eventId));
            if (!first) {
                LOG.log(
                        Level.DEBUG,
                        () -> names.of(event.envelope()) + " is not the first of its key; it is left to the poller");
            }
            return first;
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "Cannot ask whether it is the turn of " + names.of(event.envelope()) + "; it is left alone",
                    LoggedError.of(e));
            return false;
        }
    }
}
