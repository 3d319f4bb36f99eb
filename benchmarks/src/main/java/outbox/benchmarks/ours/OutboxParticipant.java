package outbox.benchmarks.ours;

import java.sql.SQLException;
import java.util.List;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.database.Pool;

/** Our product with the pool it works on. */
record OutboxParticipant(OutboxProduct product, Pool pool, OutboxListeners listeners) implements Participant {

    @Override
    public void write(List<BenchEvent> events) throws SQLException {
        product.write(events);
    }

    @Override
    public void start() throws SQLException {
        product.start();
        if (listeners.hangs()) {
            product.writeAlone(listeners.hangingEvents());
        }
    }

    @Override
    public void close() {
        listeners.close();
        product.close();
        pool.close();
    }
}
