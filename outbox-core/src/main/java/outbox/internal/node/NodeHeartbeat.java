package outbox.internal.node;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.NodeMode;
import outbox.model.OutboxNode;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;
import outbox.spi.MissingNodeTableException;

/**
 * Shows this process in the table of nodes, and looks who else is there. Nothing depends on it, so nothing that goes wrong with it matters.
 *
 * <p>Each beat is one statement. Every fourth one looks instead of writing. In the first minute, and while somebody is there with whom this process
 * must not share the table, each beat does both.
 */
final class NodeHeartbeat {

    private static final Logger LOG = SafeLog.of(NodePresence.class);
    private static final int BEATS_PER_LOOK = 4;

    private final LeaseStore store;
    private final ConnectionProvider connections;
    private final String outbox;
    private final String ownerId;
    private final NodeMode mode;
    private final Neighbours neighbours;
    private int beats;
    private boolean begun;
    private boolean shown;
    private boolean failed;
    private boolean hasNoTable;

    /**
     * @param outbox for messages
     */
    NodeHeartbeat(LeaseStore store, ConnectionProvider connections, String outbox, String ownerId, NodeMode mode) {
        this.store = store;
        this.connections = connections;
        this.outbox = outbox;
        this.ownerId = ownerId;
        this.mode = mode;
        this.neighbours = new Neighbours(mode);
    }

    /** Called once each interval. Returns false if there is no table of nodes, so that there is nothing more to do. */
    synchronized boolean beat() {
        boolean both = beats < BEATS_PER_LOOK || !shown || neighbours.areUnsettled();
        boolean turnToLook = beats % BEATS_PER_LOOK == 0;
        beats++;
        begun = true;
        attempt("shown in", conn -> beat(conn, both || !turnToLook, both || turnToLook))
                .ifPresent(lately -> tell(neighbours.saw(lately)));
        return !hasNoTable;
    }

    /** Returns whom it has seen; nothing if it did not look. */
    private Optional<List<OutboxNode>> beat(Connection conn, boolean shows, boolean looks) {
        if (shows) {
            store.heartbeat(conn, ownerId, mode);
            shown = true;
        }
        return looks ? Optional.of(store.neighbours(conn, ownerId, Neighbours.SILENT_AT_MOST)) : Optional.empty();
    }

    private void tell(List<OutboxNode> living) {
        if (!living.isEmpty()) {
            LOG.log(Level.WARNING, outbox + ": " + neighbours.problem(living));
        }
    }

    /** Who is there and must not be, in words; null if nobody is. */
    @Nullable
    String problem() {
        return neighbours.problem();
    }

    /** Takes the process out of the table. */
    synchronized void end() {
        if (begun && !hasNoTable) {
            attempt("taken out of", conn -> {
                store.forgetNode(conn, ownerId);
                return Optional.empty();
            });
        }
    }

    private Optional<List<OutboxNode>> attempt(String what, ShortTransaction.Work<Optional<List<OutboxNode>>> work) {
        try {
            Optional<List<OutboxNode>> result = ShortTransaction.run(connections, work);
            failed = false;
            return result;
        } catch (MissingNodeTableException e) {
            hasNoTable = true;
            LOG.log(Level.INFO, outbox + ": " + e.getMessage());
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    failed ? Level.DEBUG : Level.WARNING,
                    outbox + ": this process cannot be " + what + " the table of nodes",
                    LoggedError.of(e));
            failed = true;
        }
        return Optional.empty();
    }
}
