package outbox.poller;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore;

/** What is left to do in the table when a poll has handed over what it found. What cannot be done is only late by that. */
final class AfterPoll {

    private static final Logger LOG = SafeLog.of(OutboxPoller.class);

    private final PollRound.Parts parts;
    private final RowSource source;

    AfterPoll(PollRound.Parts parts, RowSource source) {
        this.parts = parts;
        this.source = source;
    }

    /** Claimed rows that nobody took would otherwise be out of reach until their leases expire. */
    void release(List<OutboxEvent> rows) {
        giveBack(rows.size(), conn -> source.release(conn, rows));
    }

    /** As {@link #release}, for rows that are not to be found again soon. */
    void putOff(List<LeaseStore.HeldRetry> rows) {
        giveBack(rows.size(), conn -> source.putOff(conn, rows));
    }

    private void giveBack(int rows, Work work) {
        if (source.locks() && rows > 0) {
            attempt(rows + " claimed event(s) of %s could not be released; their leases will expire", work);
        }
    }

    /** Events that were put off by the poll, of keys that went on before that was committed, would be found late. */
    void lookAgain(Set<String> putOff) {
        if (!putOff.isEmpty()) {
            attempt(
                    "Cannot look again at " + putOff.size() + " key(s) of %s whose events were put off; if they go on,"
                            + " their events are found when they fall due",
                    conn -> source.lookAgain(conn, putOff));
        }
    }

    private interface Work {
        void on(Connection conn);
    }

    private void attempt(String problem, Work work) {
        try {
            ShortTransaction.run(parts.connections(), conn -> {
                work.on(conn);
                return true;
            });
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.WARNING, problem.replace("%s", parts.names().ofTable()), LoggedError.of(e));
        }
    }
}
