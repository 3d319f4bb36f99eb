package outbox.dead;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.Collection;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.spi.ConnectionProvider;
import outbox.spi.OrderedStore;

/** What waits for DEAD events that hold their keys. */
final class WaitingForDead {

    private static final Logger LOG = SafeLog.of(WaitingForDead.class);

    private WaitingForDead() {}

    /**
     * Lets be found what was put off because of these events, which are replayed or discarded already and stay so: should this fail, what waits
     * falls due by itself.
     */
    static void bringBack(ConnectionProvider connections, OrderedStore store, Collection<String> eventIds) {
        try {
            ShortTransaction.run(connections, conn -> store.bringBack(conn, eventIds));
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "Cannot bring back what waited for events that were replayed or discarded; it comes later",
                    LoggedError.of(e));
        }
    }
}
