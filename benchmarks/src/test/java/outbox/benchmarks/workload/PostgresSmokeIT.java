package outbox.benchmarks.workload;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.database.PostgresBenchServer;
import outbox.testservers.TestServers;

/** Ours, the floor and the peers run on PostgreSQL. */
class PostgresSmokeIT {

    private Smoke smoke;

    @BeforeEach
    void connect() throws SQLException {
        smoke = new Smoke(PostgresBenchServer.on(TestServers.postgresql()));
    }

    @Test
    void a_backlog_is_drained() {
        smoke.run(Drain.plain(), with("db-scheduler", "gruelbox"));
    }

    @Test
    void a_backlog_among_finished_rows_is_drained() {
        smoke.run(Drain.amongFinished(100), Smoke.oursAndFloors());
    }

    @Test
    void events_are_delivered_as_they_are_written() {
        smoke.run(new EndToEnd(4), with("db-scheduler", "gruelbox", "namastack", "modulith"));
    }

    @Test
    void single_events_and_batches_are_written() {
        smoke.run(WritePath.single(2), with());
        smoke.run(WritePath.batch(100), with("db-scheduler"));
    }

    @Test
    void events_are_written_and_delivered_with_order_and_without_by_turns() {
        smoke.run(Ordered.write(2), Smoke.oursAndFloors());
        smoke.run(Ordered.endToEnd(2), Smoke.oursAndFloors());
    }

    @Test
    void latency_is_never_negative() {
        smoke.run(new Latency(), with("gruelbox"));
    }

    private static List<Candidate> with(String... peers) {
        List<Candidate> candidates = new ArrayList<>(Smoke.oursAndFloors());
        candidates.addAll(Smoke.peers(peers));
        return candidates;
    }
}
