package outbox.benchmarks.floor;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.database.Scratch;

/** Threads that each claim a batch, commit, run the listener, finish the batch, commit. */
final class FloorDrain implements Participant {

    private static final int BATCH = 500;
    private static final int PAUSE_MILLIS = 5;

    private final Scratch database;
    private final FloorSql sql;
    private final FloorFinish finish;
    private final FloorListener listener;
    private final FloorThreads threads = new FloorThreads();

    FloorDrain(Scratch database, FloorSql sql, FloorFinish finish, FloorListener listener) {
        this.database = database;
        this.sql = sql;
        this.finish = finish;
        this.listener = listener;
    }

    @Override
    public void write(List<BenchEvent> events) {
        throw new UnsupportedOperationException("opened to drain");
    }

    @Override
    public void start() {
        for (int i = 0; i < sql.drainThreads(); i++) {
            String owner = "floor-" + i;
            threads.start(owner, () -> drain(owner));
        }
    }

    private void drain(String owner) throws SQLException, InterruptedException {
        try (Connection connection = sql.prepare(database.connect())) {
            FloorTransactions transactions = new FloorTransactions(connection);
            while (threads.isRunning()) {
                List<FloorSql.Claimed> batch = transactions.run(() -> sql.claim(connection, owner, BATCH));
                if (batch.isEmpty()) {
                    Thread.sleep(PAUSE_MILLIS);
                    continue;
                }
                listener.handle(batch);
                List<String> ids = batch.stream().map(FloorSql.Claimed::id).toList();
                transactions.run(() -> {
                    finish.finish(connection, ids);
                    return ids;
                });
            }
        }
    }

    @Override
    public void close() {
        threads.close();
        listener.close();
    }
}
