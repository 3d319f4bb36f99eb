package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import outbox.internal.DatabaseFailure;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;

/** Says once that a database has stopped taking outcomes and once that it takes them again, however often it is tried in between. */
final class Outage {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private boolean on;

    void goesOn(DatabaseFailure kind, Exception problem, int waiting) {
        if (on) {
            return;
        }
        on = true;
        LOG.log(
                Level.WARNING,
                "The database takes no outcomes now (" + kind + "): " + waiting
                        + " wait until it does, and so do those that follow",
                LoggedError.of(problem));
    }

    void isOver(int recorded) {
        if (on) {
            on = false;
            LOG.log(Level.INFO, "The database takes outcomes again: {0} that waited are recorded", recorded);
        }
    }
}
