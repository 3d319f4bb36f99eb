package outbox;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.OutboxDispatcher;
import outbox.internal.text.StoredText;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.Pause;
import outbox.model.PauseTarget;
import outbox.spi.ConnectionProvider;
import outbox.spi.MissingPauseTableException;
import outbox.spi.OutboxStore;
import outbox.spi.PauseStore;

/**
 * What is not delivered for now: events that are paused stay in the table, use up no attempts, and with order so do those behind them. What is under
 * way when a pause begins goes on. Thread-safe.
 *
 * <p>A pause {@linkplain #here in this process} ends with it. One {@linkplain #everywhere for all processes} lies in a table beside that of the events
 * (version 7), and lasts until somebody takes it back. Processes that deliver heed it within five seconds, and one that was idle before its first
 * delivery.
 */
public final class Pauses {

    /** Two that pause the same thing at the same time may meet once. */
    private static final int TRIES = 3;

    private final String outbox;
    private final @Nullable PauseStore store;
    private final ConnectionProvider connections;
    private final @Nullable OutboxDispatcher dispatcher;

    Pauses(String outbox, OutboxStore store, ConnectionProvider connections, @Nullable OutboxDispatcher dispatcher) {
        this.outbox = outbox;
        this.store = store.pauses();
        this.connections = connections;
        this.dispatcher = dispatcher;
    }

    /**
     * Pauses something in this process, until it is taken back or the process ends. Pausing again changes the reason.
     *
     * @param reason for whoever asks why nothing is delivered
     * @throws IllegalArgumentException if a listener is to be paused and there is none of that name, see {@link Outbox#listeners()}, or if this
     *     process only writes
     */
    public void here(PauseTarget target, String reason) {
        delivering(target).pause(target, reason);
    }

    /**
     * Takes back what {@link #here} said.
     *
     * @return whether it was paused in this process; it may still be for all
     * @throws IllegalArgumentException as {@link #here}
     */
    public boolean resumeHere(PauseTarget target) {
        return delivering(target).resume(target);
    }

    /**
     * Pauses something for all processes that deliver from the table, until it is taken back. It may be said in a process that only writes. Pausing again
     * changes by whom and why.
     *
     * @param reason for whoever asks why nothing is delivered
     * @param who for whoever wants to ask that person
     * @throws OutboxException if the table of pauses is missing, or the database cannot be asked; then nothing is paused, as far as is known
     * @throws UnsupportedOperationException if the store keeps no pauses
     */
    public void everywhere(PauseTarget target, String reason, String who) {
        Pause checked = new Pause(target, reason, Objects.requireNonNull(who, "who"), Instant.EPOCH);
        StoredText.requireStorable("name", target.name());
        StoredText.requireStorable("reason", reason);
        StoredText.requireStorable("who", who);
        PauseStore pauses = shared();
        change("pause " + target, conn -> {
            pauses.pause(conn, checked.target(), reason, who);
            return true;
        });
    }

    /**
     * Takes back what {@link #everywhere} said, whoever did.
     *
     * @return whether it was paused for all processes; it may still be in some
     * @throws OutboxException if the table of pauses is missing, or the database cannot be asked
     * @throws UnsupportedOperationException if the store keeps no pauses
     */
    public boolean resumeEverywhere(PauseTarget target) {
        Objects.requireNonNull(target, "target");
        PauseStore pauses = shared();
        return change("resume " + target, conn -> pauses.resume(conn, target));
    }

    /**
     * What is paused for all processes, by the table, and in this one.
     *
     * @throws OutboxException if the database cannot be asked
     */
    public List<Pause> list() {
        List<Pause> all = new ArrayList<>();
        if (store != null) {
            PauseStore pauses = store;
            try {
                all.addAll(run("list the pauses of", pauses::pauses));
            } catch (MissingPauseTableException e) {
                // then there are none
            }
        }
        if (dispatcher != null) {
            dispatcher.pauses().stream().filter(pause -> !pause.isEverywhere()).forEach(all::add);
        }
        return all;
    }

    private boolean change(String what, ShortTransaction.Work<Boolean> work) {
        boolean changed = false;
        for (int left = TRIES; left > 0; left--) {
            try {
                changed = run(what + " in", work);
                left = 0;
            } catch (MissingPauseTableException e) {
                throw e;
            } catch (OutboxException e) {
                if (left == 1) {
                    throw e;
                }
            }
        }
        if (dispatcher != null) {
            dispatcher.sharedPausesChanged();
        }
        return changed;
    }

    private <T> T run(String what, ShortTransaction.Work<T> work) {
        try {
            return ShortTransaction.run(connections, work);
        } catch (SQLException e) {
            throw new OutboxException("Cannot " + StoredText.inOneLine(what) + " outbox " + outbox, e);
        }
    }

    private PauseStore shared() {
        if (store == null) {
            throw new UnsupportedOperationException("the store of outbox " + outbox
                    + " keeps no pauses, so nothing can be paused for all processes; pause it in each of them");
        }
        return store;
    }

    private OutboxDispatcher delivering(PauseTarget target) {
        if (dispatcher == null) {
            throw new IllegalArgumentException(
                    "outbox " + outbox + " only writes in this process, so " + StoredText.inOneLine(target.toString())
                            + " cannot be paused here; pause it for all processes, or where it is delivered");
        }
        return dispatcher;
    }
}
