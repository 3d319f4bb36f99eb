package outbox.internal.dead;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Clock;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.DeadEvent;
import outbox.DeadEventInTransaction;
import outbox.OutboxException;
import outbox.internal.text.ContentMask;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.text.StoredText;
import outbox.model.OutboxEvent;
import outbox.spi.OutboxStore;

/**
 * What is done in the transaction that marks an event DEAD, so that somebody is told of it whatever happens afterwards: a notice is written, or the
 * handler is called at once, and the notice is only written if that fails. Thread-safe.
 */
public final class Deaths {

    /** Of an outbox where nobody is to be told. */
    public static final Deaths UNTOLD = new Deaths(null, null, Clock.systemUTC());

    private static final Logger LOG = SafeLog.of(Deaths.class);
    private static final int MOST_REMEMBERED = 1_000;

    private final @Nullable OutboxStore store;
    private final @Nullable DeadEventInTransaction handler;
    private final Clock clock;

    /** Events that are marked again, because the database has undone all when their handler failed: it is not called in that transaction again. */
    private final Set<String> failed = Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > MOST_REMEMBERED;
        }
    }));

    private Deaths(@Nullable OutboxStore store, @Nullable DeadEventInTransaction handler, Clock clock) {
        this.store = store;
        this.handler = handler;
        this.clock = clock;
    }

    /**
     * Of an outbox whose handler is told.
     *
     * @param handler called in the transaction of the mark; null if the handler is told afterwards
     */
    public static Deaths told(OutboxStore store, @Nullable DeadEventInTransaction handler, Clock clock) {
        return new Deaths(store, handler, clock);
    }

    /** When an event dies that is marked now. */
    public Instant now() {
        return clock.instant();
    }

    /** Whether somebody is told of the end of such events, so that their marks need a transaction. Nobody is told of the end of a notice. */
    public boolean areTold(@Nullable String eventType) {
        return store != null && !DeathNotice.isType(eventType);
    }

    /** An event has been marked DEAD in the connection's transaction. */
    public void marked(Connection conn, DeadEvent dead) {
        if (store == null || !areTold(dead.eventType())) {
            return;
        }
        try {
            if (handler == null || failed.contains(dead.eventId()) || !isTold(store, handler, conn, dead)) {
                store.insertNew(conn, DeathNotice.of(dead));
            }
        } catch (SQLException e) {
            throw new OutboxException("Cannot undo what the handler of dead events has done", e);
        }
    }

    /** Null if there is none, so that nothing could be undone: on a connection of a test, for example. One that is broken says so at the next statement. */
    private static @Nullable Savepoint savepoint(Connection conn) {
        try {
            return conn.setSavepoint();
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "No savepoint for the handler of dead events; it is told later", LoggedError.of(e));
            return null;
        }
    }

    /** Whether the handler has been told; otherwise nothing of what it did is left. */
    private boolean isTold(OutboxStore from, DeadEventInTransaction told, Connection conn, DeadEvent dead)
            throws SQLException {
        Savepoint before = savepoint(conn);
        if (before == null) {
            return false;
        }
        OutboxEvent row = null;
        try {
            row = from.event(conn, dead.eventId()).orElse(null);
            told.onDead(dead.with(row), OpenTransaction.on(conn));
            return true;
        } catch (Throwable e) {
            failed.add(dead.eventId());
            conn.rollback(before);
            if (e instanceof VirtualMachineError error) {
                throw error;
            }
            LOG.log(
                    Level.WARNING,
                    "The handler of dead events failed for event " + StoredText.inOneLine(dead.eventId())
                            + " in the transaction that marks it; the event is DEAD, and the handler is told again",
                    LoggedError.of(e, row == null ? null : ContentMask.of(row)));
            return false;
        }
    }
}
