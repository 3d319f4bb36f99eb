package outbox.benchmarks.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import outbox.benchmarks.candidate.Business;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.database.BenchServer;
import outbox.benchmarks.database.Scratch;
import outbox.benchmarks.report.Measurement;
import outbox.benchmarks.report.Metric;
import outbox.benchmarks.report.Progress;

/** Default settings and nothing to do; all candidates at the same time, because they hardly disturb each other. */
final class Idle implements Workload {

    private static final int SETTLE_MILLIS = 2000;

    @Override
    public String group() {
        return "idle";
    }

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public boolean suits(Candidate candidate) {
        return candidate.usesDefaults();
    }

    @Override
    public boolean isFreeOfNoise() {
        return true;
    }

    @Override
    public List<Measurement> measure(BenchServer server, List<Candidate> candidates, Scale scale) {
        List<Idler> idlers = new ArrayList<>();
        List<Measurement> measurements = new ArrayList<>();
        try {
            for (Candidate candidate : candidates) {
                idlers.add(Idler.start(candidate, server.newScratch()));
            }
            Thread.sleep(Math.min(SETTLE_MILLIS, scale.idling().toMillis()));
            for (Idler idler : idlers) {
                idler.begin();
            }
            Thread.sleep(scale.idling().toMillis());
            for (Idler idler : idlers) {
                measurements.add(idler.end());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            Progress.problem("idle on " + server.kind().label() + " failed", e);
        } finally {
            idlers.forEach(Idler::close);
        }
        return measurements;
    }

    /** A candidate that has nothing to do. */
    private static final class Idler {

        private final Candidate candidate;
        private final Scratch database;
        private final Participant participant;
        private long statementsBefore;
        private long began;

        private Idler(Candidate candidate, Scratch database, Participant participant) {
            this.candidate = candidate;
            this.database = database;
            this.participant = participant;
        }

        static Idler start(Candidate candidate, Scratch database) throws Exception {
            database.execute(Business.DDL);
            candidate.createTables(database);
            Participant participant = candidate.open(database, Purpose.DELIVER, new Deliveries(0));
            participant.start();
            return new Idler(candidate, database, participant);
        }

        void begin() throws Exception {
            statementsBefore = database.meter().statements();
            began = System.nanoTime();
        }

        Measurement end() throws Exception {
            double seconds = Producers.Production.seconds(began, System.nanoTime());
            double perSecond = (database.meter().statements() - statementsBefore) / seconds;
            return new Measurement(
                    new Measurement.Subject(database.kind(), "idle", candidate.name(), candidate.role()),
                    Map.of(Metric.IDLE_STATEMENTS, perSecond),
                    Measurement.Check.NOTHING);
        }

        void close() {
            try (database) {
                participant.close();
            } catch (Exception e) {
                Progress.problem("cannot close " + candidate.name(), e);
            }
        }
    }
}
