package outbox.proof.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import outbox.proof.consumer.ConsumerProgram;
import outbox.proof.consumer.ConsumerSettings;
import outbox.proof.database.ConsumerTables;
import outbox.proof.database.HurtDatabase;
import outbox.proof.database.OutboxTables;
import outbox.proof.fault.FaultInjector;
import outbox.proof.fault.FaultKind;
import outbox.proof.fault.Slot;
import outbox.proof.history.Delivery;
import outbox.proof.history.FaultWindow;
import outbox.proof.history.Flight;
import outbox.proof.history.History;
import outbox.proof.history.OutboxRules;
import outbox.proof.node.Configuration;
import outbox.proof.node.NodeProgram;
import outbox.proof.node.NodeSettings;
import outbox.proof.process.ProcessSettings;
import outbox.proof.proxy.FaultyProxy;
import outbox.testservers.FreePort;

/** Nodes, which write and deliver, and consumers behind them; with the tables of both. */
final class Processes implements AutoCloseable {

    private static final Duration SETTLE_PATIENCE = Duration.ofMinutes(2);

    /** Events of one account that fail forty times each, one after the other, take their time. */
    private static final Duration LONGEST_SETTLING = Duration.ofMinutes(10);

    /** Too small for as many large events as queues have room for. */
    private static final int NODE_MEGABYTES = 96;

    private static final int CONSUMER_MEGABYTES = 256;

    private final Databases databases;
    private final RoundSettings settings;
    private final OutboxTables outboxTables;
    private final ConsumerTables consumerTables;
    private final List<Integer> consumerPorts = new ArrayList<>();
    private final ProcessGroup consumers;
    private final ProcessGroup nodes;

    /** Empties the directory, creates the tables, starts the processes and waits until they are ready. */
    Processes(Databases databases, RoundSettings settings, boolean firstVersion)
            throws IOException, InterruptedException, SQLException {
        this.databases = databases;
        this.settings = settings;
        this.outboxTables =
                new OutboxTables(databases.ofNodes(), settings.outboxes().keySet(), settings.holding());
        this.consumerTables = new ConsumerTables(databases.ofConsumers());
        emptyDirectory(settings.directory());
        outboxTables.create(firstVersion);
        consumerTables.create();
        this.consumers = ProcessGroup.start(databases.ofConsumers(), RoundSettings.CONSUMERS, this::openConsumer);
        try {
            this.nodes = ProcessGroup.start(databases.ofNodes(), RoundSettings.NODES, this::openNode);
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            consumers.close();
            throw e;
        }
    }

    /** A run with the same seed may have left its journals there, which nobody should take for those of this one. */
    private static void emptyDirectory(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        Files.createDirectories(directory);
    }

    /** Each consumer that comes to the slot listens on the same port, which was free; nodes reach it through a door. */
    private Slot openConsumer(int slot) throws IOException {
        int port = FreePort.find();
        FaultyProxy door = FaultyProxy.to(port);
        consumerPorts.add(door.port());
        return new Slot(databases.ofConsumers(), door, (number, databasePort) -> {
            ConsumerSettings next = new ConsumerSettings(
                    process("consumer-" + slot + "-" + number, databases.ofConsumers(), databasePort),
                    port,
                    settings.consuming(),
                    settings.lease());
            return new Slot.Start(ConsumerProgram.class, next.process(), next.write(), CONSUMER_MEGABYTES);
        });
    }

    private Slot openNode(int slot) throws IOException {
        Older older = settings.olderIn(slot);
        return new Slot(databases.ofNodes(), null, new Slot.Program() {
            @Override
            public Slot.Start next(int number, int port) throws IOException {
                NodeSettings next = node("node-" + slot + "-" + number + (older == null ? "" : "-older"), port);
                String classPath = older == null ? null : older.classPath();
                return new Slot.Start(classPath, NodeProgram.class, next.process(), next.write(), NODE_MEGABYTES);
            }

            @Override
            public boolean knows(FaultKind kind) {
                return older == null || older.knows(kind);
            }
        });
    }

    private NodeSettings node(String name, int databasePort) {
        return new NodeSettings(
                process(name, databases.ofNodes(), databasePort),
                settings.lease(),
                settings.outboxes(),
                settings.consumed(),
                consumerPorts,
                settings.random().nextLong(),
                settings.eventsPerSecond() / RoundSettings.NODES,
                settings.maxAttempts());
    }

    private ProcessSettings process(String name, HurtDatabase database, int port) {
        return new ProcessSettings(name, settings.directory(), database.throughPort(port), database.sessionSettings());
    }

    /** Everybody. */
    List<Slot> slots() {
        return Stream.of(nodes, consumers)
                .flatMap(group -> group.slots().stream())
                .toList();
    }

    Person person() {
        return new Person(outboxTables, settings.directory());
    }

    FaultInjector injector() {
        return new FaultInjector(
                nodes.slots(),
                consumers.slots(),
                outboxTables,
                settings.directory().resolve("faults.log"),
                settings.random());
    }

    void produce() throws IOException {
        for (Slot slot : nodes.slots()) {
            slot.produce();
        }
    }

    /** Makes nodes write no more; how many events they have rolled back. */
    long endProducing() throws IOException, InterruptedException {
        long rolledBack = 0;
        for (Slot slot : nodes.slots()) {
            rolledBack += slot.endProducing();
        }
        return rolledBack;
    }

    /** How many events that end their process are not dead yet. */
    int killersLeft() throws SQLException {
        return outboxTables.killersLeft();
    }

    /** Returns when every event is delivered or dead, or has not become so for too long; then the verdict will say so. */
    void settle() throws SQLException, InterruptedException {
        long begun = System.nanoTime();
        long changed = begun;
        long pending = outboxTables.pending();
        while (pending > 0
                && System.nanoTime() - changed < SETTLE_PATIENCE.toNanos()
                && System.nanoTime() - begun < LONGEST_SETTLING.toNanos()) {
            Thread.sleep(50); // between two looks
            long now = outboxTables.pending();
            changed = now < pending ? System.nanoTime() : changed;
            pending = now;
        }
    }

    void stop() throws IOException, InterruptedException, SQLException {
        nodes.stop();
        consumers.stop();
    }

    /** What happened, once they have ended, given the faults that were done to them. */
    History history(List<FaultWindow> done, Person person) throws SQLException {
        Map<String, OutboxRules> rules = new TreeMap<>();
        settings.outboxes().forEach((table, configuration) -> rules.put(table, rules(table, configuration)));
        List<FaultWindow> faults = new ArrayList<>(done);
        List<Delivery> deliveries = new ArrayList<>();
        List<Flight> flights = new ArrayList<>();
        for (Slot slot : nodes.slots()) {
            faults.addAll(slot.stalls());
            faults.addAll(slot.deaths());
            deliveries.addAll(slot.deliveries());
            flights.addAll(slot.flights());
        }
        return new History(
                rules,
                settings.lease(),
                outboxTables.bookings(),
                deliveries,
                flights,
                outboxTables.rows(),
                consumerTables.consumption(),
                faults,
                Map.copyOf(person.discards()),
                Stream.of(nodes, consumers)
                        .flatMap(group -> group.leaks().stream())
                        .toList());
    }

    private OutboxRules rules(String table, Configuration configuration) {
        OutboxRules rules = configuration.rules(table.equals(settings.consumed()));
        return settings.older() == null ? rules : rules.besideOlderNodes();
    }

    @Override
    public void close() throws IOException {
        try (nodes) {
            consumers.close();
        }
    }
}
