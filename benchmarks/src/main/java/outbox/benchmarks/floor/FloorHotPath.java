package outbox.benchmarks.floor;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.database.Scratch;

/** Hands committed events to a thread that runs the listener, and finishes them in groups that gather for a few milliseconds. */
final class FloorHotPath implements Participant {

    private static final int LINGER_MILLIS = 10;
    private static final int GROUP = 2000;
    private static final int LOOK_UP_MILLIS = 50;

    private final FloorWriter writer;
    private final Scratch database;
    private final FloorSql sql;
    private final FloorFinish finish;
    private final Deliveries deliveries;
    private final BlockingQueue<BenchEvent> committed = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> delivered = new LinkedBlockingQueue<>();
    private final FloorThreads threads = new FloorThreads();

    FloorHotPath(FloorWriter writer, Scratch database, FloorSql sql, FloorFinish finish, Deliveries deliveries) {
        this.writer = writer;
        this.database = database;
        this.sql = sql;
        this.finish = finish;
        this.deliveries = deliveries;
    }

    @Override
    public void write(List<BenchEvent> events) throws SQLException {
        writer.write(events);
        committed.addAll(events);
    }

    @Override
    public void start() {
        threads.start("floor-listener", this::deliver);
        threads.start("floor-finisher", this::finishGroups);
    }

    private void deliver() throws InterruptedException {
        while (threads.isRunning()) {
            BenchEvent event = committed.poll(LOOK_UP_MILLIS, TimeUnit.MILLISECONDS);
            if (event != null) {
                deliveries.arrived(event.payload());
                delivered.add(event.id());
            }
        }
    }

    private void finishGroups() throws SQLException, InterruptedException {
        try (Connection connection = sql.prepare(database.connect())) {
            while (threads.isRunning()) {
                String first = delivered.poll(LOOK_UP_MILLIS, TimeUnit.MILLISECONDS);
                if (first != null) {
                    Thread.sleep(LINGER_MILLIS);
                    finishGroup(connection, first);
                }
            }
        }
    }

    private void finishGroup(Connection connection, String first) throws SQLException {
        List<String> group = new ArrayList<>();
        group.add(first);
        delivered.drainTo(group, GROUP);
        new FloorTransactions(connection).run(() -> {
            finish.finish(connection, group);
            return group;
        });
    }

    @Override
    public void close() throws SQLException {
        threads.close();
        writer.close();
    }
}
