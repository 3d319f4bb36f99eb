package outbox.jdbc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import outbox.internal.text.SafeLog;

/**
 * Takes connections out of a pool that answer but cannot write.
 *
 * <p>They come in great number, because after a fail-over all connections of a pool lead to the old primary; so they are dealt with in
 * rounds. In the first round one connection is taken out: it may be the only one, which somebody has left in a bad state. In the next all
 * others go as well, if the pool can do that. If even then a connection cannot write, new ones cannot either: rounds become rare, so that
 * the server is not overrun with new connections, and the log says where to look. Between two rounds connections go back to the pool. What
 * comes a while after the last refusal is another trouble, and begins with the first round: a fail-over soon after an outage must not wait.
 */
final class Evictions {

    /** After so many rounds in a row the data source itself is to blame. */
    static final int IN_A_ROW = 3;

    static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    /** A database that does not write refuses more often than that, unless there is little to write; then rounds are rare anyway. */
    static final Duration ANOTHER_TROUBLE = Duration.ofSeconds(5);

    /** Longer than any outbox goes without a write: each node shows itself every 15 seconds. */
    static final Duration QUIET = Duration.ofSeconds(45);

    private static final Logger LOG = SafeLog.of(DataSourceConnectionProvider.class);

    private final DataSource dataSource;
    private final LongSupplier nanoTime;
    private volatile int rounds;
    /** Of the present trouble. */
    private int roundsInARow;

    private long lastRefusal;
    private long nextRound;

    Evictions(DataSource dataSource, LongSupplier nanoTime) {
        this.dataSource = dataSource;
        this.nanoTime = nanoTime;
    }

    /** Takes the connection out of the pool, or gives it back if that would be too soon after the last. */
    void evict(Connection conn) throws SQLException {
        int round = begin();
        if (round == 0) {
            conn.close();
            return;
        }
        LOG.log(Level.DEBUG, "A connection that cannot write is taken out of its pool, round {0}", round);
        try (conn) {
            HikariPool pool = HikariPool.of(dataSource);
            if (pool == null || !pool.evict(conn)) {
                conn.abort(Runnable::run);
            }
            if (pool != null && round > 1) {
                pool.evictAll();
            }
        }
    }

    /** The number of the round that begins now, or 0 if none does. */
    private synchronized int begin() {
        long now = nanoTime.getAsLong();
        forgetIfQuiet(now);
        if (now - lastRefusal >= ANOTHER_TROUBLE.toNanos()) {
            roundsInARow = 0;
        }
        lastRefusal = now;
        if (roundsInARow > 0 && now - nextRound < 0) {
            return 0;
        }
        rounds++;
        roundsInARow++;
        nextRound = now + pauseAfter(roundsInARow).toNanos();
        if (rounds == IN_A_ROW) {
            LOG.log(
                    Level.WARNING,
                    "The database does not write, also on new connections: the data source seems to point at a replica or at"
                            + " a server that is read-only. Connections are renewed less often until it writes again");
        }
        return roundsInARow;
    }

    private static Duration pauseAfter(int round) {
        Duration pause = FIRST_PAUSE;
        for (int i = IN_A_ROW; i <= round && pause.compareTo(LONGEST_PAUSE) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }

    /** Called for each connection that is given out after the first refusal. */
    void lookForEnd() {
        if (rounds > 0) {
            synchronized (this) {
                forgetIfQuiet(nanoTime.getAsLong());
            }
        }
    }

    private void forgetIfQuiet(long now) {
        if (rounds == 0 || now - lastRefusal < QUIET.toNanos()) {
            return;
        }
        if (rounds >= IN_A_ROW) {
            LOG.log(Level.INFO, "The database writes again: it has refused nothing for {0} seconds", QUIET.toSeconds());
        }
        rounds = 0;
    }
}
