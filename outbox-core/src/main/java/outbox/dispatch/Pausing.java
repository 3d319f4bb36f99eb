package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.pause.PauseBoard;
import outbox.internal.pause.SharedPauses;
import outbox.internal.text.SafeLog;
import outbox.internal.text.StoredText;
import outbox.model.Pause;
import outbox.spi.ConnectionProvider;
import outbox.spi.OutboxStore;
import outbox.spi.PauseStore;

/** What is not delivered because somebody has said so, in this process or for all of them. Thread-safe. */
final class Pausing implements PauseBoard.Listener {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    /** Told when something is paused or goes on. */
    interface Consequences {

        void pausesChange(boolean someGoOn);
    }

    private final PauseBoard board = new PauseBoard();
    private final @Nullable SharedPauses shared;
    private final String outbox;
    private volatile Consequences consequences = someGoOn -> {};

    /** What is paused for all processes is known only if the store knows it. */
    Pausing(OutboxStore store, ConnectionProvider connections, LongSupplier nanoTime) {
        PauseStore pauses = store.pauses();
        this.outbox = store.tableName() == null ? "outbox" : "outbox " + store.tableName();
        this.shared = pauses == null ? null : new SharedPauses(pauses, connections, board, store.tableName(), nanoTime);
        board.tells(this);
    }

    /** From now on it is told of changes. */
    void tells(Consequences changes) {
        consequences = changes;
    }

    PauseBoard board() {
        return board;
    }

    /** Whether an event may be delivered to that listener now. May wait for the database, if nobody has asked it for a while. */
    boolean mayDeliver(EventEnvelope event, String listener) {
        return (shared == null || shared.areKnown())
                && !board.isPaused(event.eventType())
                && board.ofListener(listener) == null;
    }

    /** What is paused for all processes was changed by this one. */
    void sharedChanged() {
        if (shared != null) {
            shared.changed();
        }
    }

    @Override
    public void pausesChange(List<Pause> begun, List<Pause> ended) {
        begun.forEach(pause -> LOG.log(Level.INFO, outbox + ": " + StoredText.inOneLine(pause.toString())));
        ended.forEach(pause -> LOG.log(
                Level.INFO, outbox + ": " + StoredText.inOneLine(pause.target().toString()) + " goes on"));
        consequences.pausesChange(!ended.isEmpty());
    }

    void close() {
        if (shared != null) {
            shared.close();
        }
    }
}
