package outbox.benchmarks.workload;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Listening;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.database.Scratch;
import outbox.benchmarks.report.Measurement;
import outbox.benchmarks.report.Metric;
import outbox.benchmarks.report.Statistics;

/**
 * A steady trickle of transactions: how long from the return of the database's commit until the listener is called. Transactions
 * begin at fixed times, however long the one before took.
 */
final class Latency extends SoloWorkload {

    private static final int PER_SECOND = 200;
    private static final long INTERVAL_NANOS = 1_000_000_000L / PER_SECOND;
    private static final int SHARE_TO_SETTLE = 5;

    /** With so many keys hardly an event meets another one of its key. */
    private static final int MANY_KEYS = 10_000;

    Latency() {
        super("latency", "latency");
    }

    @Override
    public boolean suits(Candidate candidate) {
        boolean withOrder = candidate.keys() == MANY_KEYS;
        boolean besideHanging = candidate.listening() == Listening.BESIDE_ONE_THAT_HANGS;
        return withOrder || besideHanging || (super.suits(candidate) && (isPeer(candidate) || !candidate.deletes()));
    }

    @Override
    Measurement measure(Candidate candidate, Scratch database, Scale scale) throws Exception {
        int events = (int) (scale.listening().toMillis() * PER_SECOND / 1000);
        CommitTimes commits = new CommitTimes(Thread.currentThread(), events);
        database.observe(commits);
        database.settle();
        Deliveries deliveries = new Deliveries(events);
        try (Participant participant = candidate.open(database, Purpose.DELIVER, deliveries)) {
            participant.start();
            write(participant, commits, events);
            Finish finish = Finish.await(deliveries, events, database, candidate.pendingQuery(), scale.patience());
            return measurement(candidate, database, percentiles(commits, deliveries, events), finish.check());
        }
    }

    private static void write(Participant participant, CommitTimes commits, int events) throws Exception {
        long begin = System.nanoTime();
        for (int number = 0; number < events; number++) {
            long due = begin + number * INTERVAL_NANOS;
            while (System.nanoTime() < due) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            commits.next(number);
            participant.write(List.of(new BenchEvent(number)));
        }
    }

    private static Map<Metric, Double> percentiles(CommitTimes commits, Deliveries deliveries, int events) {
        double[] millis = IntStream.range(events / SHARE_TO_SETTLE, events)
                .filter(number -> deliveries.arrivedAt(number) != 0)
                .mapToDouble(number -> (deliveries.arrivedAt(number) - commits.at(number)) / 1e6)
                .toArray();
        Map<Metric, Double> values = new EnumMap<>(Metric.class);
        if (millis.length > 0) {
            values.put(Metric.P50_MILLIS, Statistics.percentile(50, millis));
            values.put(Metric.P99_MILLIS, Statistics.percentile(99, millis));
        }
        return values;
    }
}
