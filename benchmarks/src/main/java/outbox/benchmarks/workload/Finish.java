package outbox.benchmarks.workload;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.database.Scratch;
import outbox.benchmarks.report.Measurement;

/**
 * The end of a run: everything has arrived and the table says so too, or patience is at its end.
 *
 * @param at when that was, by {@link System#nanoTime()}
 * @param check what had arrived
 */
record Finish(long at, Measurement.Check check) {

    private static final Duration LOOK_EVERY = Duration.ofNanos(500_000);
    private static final Duration ASK_EVERY = Duration.ofMillis(2);

    static Finish await(Deliveries deliveries, int expected, Scratch database, String pendingQuery, Duration patience)
            throws SQLException {
        long deadline = System.nanoTime() + patience.toNanos();
        boolean cutOff = !awaitArrival(deliveries, expected, deadline) || !awaitMarks(database, pendingQuery, deadline);
        return new Finish(
                System.nanoTime(),
                new Measurement.Check(expected, deliveries.distinct(), deliveries.duplicates(), cutOff));
    }

    private static boolean awaitArrival(Deliveries deliveries, int expected, long deadline) {
        while (deliveries.distinct() < expected) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            LockSupport.parkNanos(LOOK_EVERY.toNanos());
        }
        return true;
    }

    private static boolean awaitMarks(Scratch database, String pendingQuery, long deadline) throws SQLException {
        while (database.count(pendingQuery) > 0) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            LockSupport.parkNanos(ASK_EVERY.toNanos());
        }
        return true;
    }
}
