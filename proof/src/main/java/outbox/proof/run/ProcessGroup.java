package outbox.proof.run;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import outbox.proof.database.HurtDatabase;
import outbox.proof.fault.Slot;

/** Processes that share a database. */
final class ProcessGroup implements AutoCloseable {

    private static final Duration DISCONNECT_PATIENCE = Duration.ofSeconds(10);

    private final HurtDatabase database;
    private final List<Slot> slots = new ArrayList<>();
    private final List<String> connectionsLeft = new ArrayList<>();

    private ProcessGroup(HurtDatabase database) {
        this.database = database;
    }

    /** Opens the slot of that number. */
    interface Opening {
        Slot open(int number) throws IOException;
    }

    /** Starts them and waits until they are ready. */
    static ProcessGroup start(HurtDatabase database, int size, Opening opening)
            throws IOException, InterruptedException {
        ProcessGroup group = new ProcessGroup(database);
        try {
            for (int i = 0; i < size; i++) {
                group.slots.add(opening.open(i));
            }
            for (Slot slot : group.slots) {
                slot.awaitReady();
            }
            return group;
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            group.close();
            throw e;
        }
    }

    List<Slot> slots() {
        return slots;
    }

    /** Ends them all in good order. */
    void stop() throws IOException, InterruptedException, SQLException {
        for (Slot slot : slots) {
            slot.beginStop();
        }
        for (Slot slot : slots) {
            slot.awaitStopped();
        }
        awaitDisconnected();
    }

    /** The server may take a moment to notice that a client has gone. */
    private void awaitDisconnected() throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + DISCONNECT_PATIENCE.toNanos();
        int connections = database.connections();
        while (connections > 0 && System.nanoTime() < deadline) {
            Thread.sleep(50); // between two looks
            connections = database.connections();
        }
        if (connections > 0) {
            connectionsLeft.add(connections + " connections are open after all processes have ended");
        }
    }

    /** What was kept that should have been given back, in words. */
    List<String> leaks() {
        return Stream.concat(slots.stream().flatMap(slot -> slot.leaks().stream()), connectionsLeft.stream())
                .toList();
    }

    @Override
    public void close() throws IOException {
        for (Slot slot : slots) {
            slot.close();
        }
    }
}
