package outbox.benchmarks.ours;

import java.sql.SQLException;
import java.util.List;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.database.Pool;

/** Our product with the pool it works on. */
record OutboxParticipant(OutboxProduct product, Pool pool) implements Participant {

    @Override
    public void write(List<BenchEvent> events) throws SQLException {
        product.write(events);
    }

    @Override
    public void start() {
        product.start();
    }

    @Override
    public void close() {
        product.close();
        pool.close();
    }
}
