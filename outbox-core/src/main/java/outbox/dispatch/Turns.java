package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.internal.EventNames;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;
import outbox.internal.ShortTransaction;
import outbox.spi.ConnectionProvider;
import outbox.spi.OrderedStore;

/**
 * Knows whether it is an event's turn. Most often that is known already: from the insert, or from the claim and the lane. Otherwise the
 * table is asked.
 */
final class Turns {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final NodeLeases leases;
    private final @Nullable OrderedStore store;
    private final ConnectionProvider connections;
    private final EventNames names;

    /** Without a store there is no order, and it is always everybody's turn. */
    Turns(NodeLeases leases, @Nullable OrderedStore store, ConnectionProvider connections, EventNames names) {
        this.leases = leases;
        this.store = store;
        this.connections = connections;
        this.names = names;
    }

    boolean hasCome(QueuedEvent event) {
        String eventId = event.envelope().eventId();
        if (store == null || !leases.isUnsure(eventId)) {
            return true;
        }
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
