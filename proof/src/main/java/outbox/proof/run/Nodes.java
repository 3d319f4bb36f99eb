package outbox.proof.run;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import outbox.proof.database.HurtDatabase;
import outbox.proof.fault.Slot;
import outbox.proof.history.Delivery;
import outbox.proof.history.FaultWindow;
import outbox.proof.history.History;
import outbox.proof.history.OutboxRules;
import outbox.proof.node.NodeSettings;

/** The processes of a round. */
final class Nodes implements AutoCloseable {

    private static final Duration SETTLE_PATIENCE = Duration.ofMinutes(2);
    private static final Duration DISCONNECT_PATIENCE = Duration.ofSeconds(10);

    private final HurtDatabase database;
    private final RoundSettings settings;
    private final List<Slot> slots = new ArrayList<>();
    private final List<String> leaks = new ArrayList<>();

    private Nodes(HurtDatabase database, RoundSettings settings) {
        this.database = database;
        this.settings = settings;
    }

    /** Starts them and waits until they are ready. */
    static Nodes start(HurtDatabase database, RoundSettings settings) throws IOException, InterruptedException {
        Nodes nodes = new Nodes(database, settings);
        try {
            for (int i = 0; i < RoundSettings.NODES; i++) {
                nodes.slots.add(new Slot(i, database.server().database().port(), nodes::settings));
            }
            for (Slot slot : nodes.slots) {
                slot.awaitReady();
            }
            return nodes;
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            nodes.close();
            throw e;
        }
    }

    private NodeSettings settings(int slot, int number, int port) {
        return new NodeSettings(
                "node-" + slot + "-" + number,
                settings.directory(),
                database.forNodes(port),
                database.sessionSettings(),
                settings.lease(),
                settings.outboxes(),
                settings.random().nextLong(),
                settings.eventsPerSecond() / RoundSettings.NODES);
    }

    List<Slot> slots() {
        return slots;
    }

    void produce() throws IOException {
        for (Slot slot : slots) {
            slot.produce();
        }
    }

    long endProducing() throws IOException, InterruptedException {
        long rolledBack = 0;
        for (Slot slot : slots) {
            rolledBack += slot.endProducing();
        }
        return rolledBack;
    }

    /** Returns when every event is delivered or dead, or has not become so for too long; then the verdict will say so. */
    void settle() throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + SETTLE_PATIENCE.toNanos();
        while (database.pending(settings.outboxes().keySet()) > 0 && System.nanoTime() < deadline) {
            Thread.sleep(50); // between two looks
        }
    }

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
        int connections = database.nodeConnections();
        while (connections > 0 && System.nanoTime() < deadline) {
            Thread.sleep(50); // between two looks
            connections = database.nodeConnections();
        }
        if (connections > 0) {
            leaks.add(connections + " connections are open after all nodes have ended");
        }
    }

    /** What happened, once they have ended, given the faults that were done to them. */
    History history(List<FaultWindow> done) throws SQLException {
        Map<String, OutboxRules> rules = new TreeMap<>();
        settings.outboxes().forEach((table, configuration) -> rules.put(table, configuration.rules()));
        List<FaultWindow> faults = new ArrayList<>(done);
        List<Delivery> deliveries = new ArrayList<>();
        for (Slot slot : slots) {
            faults.addAll(slot.stalls());
            deliveries.addAll(slot.deliveries());
            leaks.addAll(slot.leaks());
        }
        return new History(
                rules,
                settings.lease(),
                database.bookings(),
                deliveries,
                database.rows(settings.outboxes().keySet()),
                faults,
                leaks);
    }

    @Override
    public void close() throws IOException {
        for (Slot slot : slots) {
            slot.close();
        }
    }
}
