package outbox.benchmarks.workload;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.stream.LongStream;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Listening;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.Scratch;
import outbox.benchmarks.report.Measurement;
import outbox.benchmarks.report.Metric;

/**
 * A large backlog, and how fast its first and its last quarter go: what is drained already must not slow down what is left. Also while
 * somebody keeps a transaction open, so that the database cannot clean up behind it.
 */
final class LargeDrain extends SoloWorkload {

    private static final int TIMES_THE_USUAL = 10;

    private final boolean openTransaction;

    private LargeDrain(String name, boolean openTransaction) {
        super("large-drain", name);
        this.openTransaction = openTransaction;
    }

    static LargeDrain alone() {
        return new LargeDrain("large-drain", false);
    }

    static LargeDrain besideOpenTransaction() {
        return new LargeDrain("large-drain-open-transaction", true);
    }

    @Override
    public boolean suits(Candidate candidate) {
        boolean ours = candidate.role() == Role.OURS && candidate.listening() == Listening.ONE_BY_ONE;
        return ours && !candidate.usesDefaults() && candidate.keys() != 1;
    }

    @Override
    Measurement measure(Candidate candidate, Scratch database, Scale scale) throws Exception {
        int backlog = scale.backlog() * TIMES_THE_USUAL;
        Drain.leave(backlog, candidate, database);
        database.settle();
        try (Connection other = database.connect()) {
            if (openTransaction) {
                begin(other);
            }
            return drain(candidate, database, scale, backlog);
        }
    }

    private static void begin(Connection other) throws SQLException {
        other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        other.setAutoCommit(false);
        try (Statement statement = other.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM business_order")) {
            rows.next();
        }
    }

    private Measurement drain(Candidate candidate, Scratch database, Scale scale, int backlog) throws Exception {
        Deliveries deliveries = new Deliveries(backlog);
        try (Participant participant = candidate.open(database, Purpose.DRAIN, deliveries)) {
            participant.start();
            Finish finish = Finish.await(
                    deliveries,
                    backlog,
                    database,
                    candidate.pendingQuery(),
                    scale.patience().multipliedBy(TIMES_THE_USUAL));
            database.stopProbing();
            return measurement(candidate, database, figures(deliveries, backlog, finish), finish.check());
        }
    }

    private static Map<Metric, Double> figures(Deliveries deliveries, int backlog, Finish finish) {
        long[] times = LongStream.range(0, backlog)
                .map(number -> deliveries.arrivedAt((int) number))
                .filter(time -> time != 0)
                .sorted()
                .toArray();
        int quarter = times.length / 4;
        if (quarter == 0) {
            return Map.of();
        }
        return Map.of(
                Metric.RATE,
                times.length / Producers.Production.seconds(times[0], finish.at()),
                Metric.FIRST_QUARTER_RATE,
                quarter / Producers.Production.seconds(times[0], times[quarter]),
                Metric.LAST_QUARTER_RATE,
                quarter / Producers.Production.seconds(times[times.length - 1 - quarter], times[times.length - 1]));
    }
}
