package outbox.jdbc.store;

import java.sql.Connection;
import java.time.Instant;

/** Lets tests on databases replay an event as a process whose clock is wrong. */
public final class ClockOfReplay {

    private ClockOfReplay() {}

    /** Replays an event of the store's table when the clock of this process shows the given time. */
    public static int replay(Connection conn, AbstractJdbcOutboxStore store, String eventId, Instant now) {
        return new DeadRows(new EventTable(store.table(), store.dialect())).replay(conn, eventId, now);
    }
}
