package outbox.proof.fault;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.proof.database.HurtDatabase;
import outbox.proof.database.OutboxTables;
import outbox.proof.history.FaultWindow;
import outbox.proof.proxy.FaultyProxy;

/** Does what a plan says, and undoes it when its time is over. One thread calls it, again and again. */
public final class FaultInjector {

    private static final Duration CLOCK_STEP = Duration.ofMinutes(10);
    private static final int LONGEST_DELAY_MILLIS = 30;

    private interface Undo {
        void run() throws Exception;
    }

    private record Ending(long atNanos, FaultKind kind, Slot slot, String process, long begun, Undo undo) {}

    private final List<Slot> nodes;
    private final List<Slot> slots;
    private final OutboxTables tables;
    private final Path log;
    private final Random random;
    private final List<Ending> endings = new ArrayList<>();
    private final Deque<Slot> toRestart = new ArrayDeque<>();
    private final List<FaultWindow> windows = new ArrayList<>();
    private final Map<FaultKind, Integer> counts = new EnumMap<>(FaultKind.class);

    /**
     * Hurts processes and their databases.
     *
     * @param nodes those that deliver, which alone can have a reason to deliver again
     * @param others who may be hurt as well
     * @param tables what is migrated
     * @param log where it writes down what it did, and when, for whoever has to find out why a promise was broken
     */
    public FaultInjector(List<Slot> nodes, List<Slot> others, OutboxTables tables, Path log, Random random) {
        this.nodes = List.copyOf(nodes);
        this.slots = Stream.of(nodes, others).flatMap(List::stream).toList();
        this.tables = tables;
        this.log = log;
        this.random = random;
    }

    /** Takes a step, unless there is nobody who would feel it now. */
    public void take(FaultPlan.Step step) throws Exception {
        Slot slot = slotThatIsUp(step.slot());
        if (slot == null || (isOfDatabase(step.kind()) && isHurt(slot.database()))) {
            return;
        }
        long begun = System.nanoTime();
        String process = slot.process();
        Undo undo = begin(step, slot);
        counts.merge(step.kind(), 1, Integer::sum);
        endings.add(new Ending(begun + step.time().toNanos(), step.kind(), slot, process, begun, undo));
        undoWhatIsOver();
    }

    private @Nullable Slot slotThatIsUp(int first) {
        for (int i = 0; i < slots.size(); i++) {
            Slot slot = slots.get((first + i) % slots.size());
            if (slot.isUp()) {
                return slot;
            }
        }
        return null;
    }

    private boolean isHurt(HurtDatabase database) {
        return endings.stream().anyMatch(ending -> isOfDatabase(ending.kind) && ending.slot.database() == database);
    }

    private static boolean isOfDatabase(FaultKind kind) {
        return switch (kind) {
            case KILL_DATABASE, STOP_DATABASE, READ_ONLY_DATABASE, STATEMENT_TIMEOUTS, DEADLOCKS, MIGRATE_TABLES ->
                true;
            default -> false;
        };
    }

    private Undo begin(FaultPlan.Step step, Slot slot) throws Exception {
        HurtDatabase database = slot.database();
        List<FaultyProxy> network = slot.network();
        long millis = step.time().toMillis();
        return switch (step.kind()) {
            case KILL_PROCESS -> did(slot::kill);
            case PAUSE_PROCESS -> {
                slot.pause();
                yield slot::resume;
            }
            case RESTART_PROCESS -> did(() -> toRestart.add(slot));
            case ROLLING_RESTART -> did(() -> toRestart.addAll(slots));
            case KILL_DATABASE -> {
                database.server().kill();
                yield database.server()::start;
            }
            case STOP_DATABASE -> {
                database.server().stop();
                yield database.server()::start;
            }
            case READ_ONLY_DATABASE -> {
                database.readOnly(true);
                yield () -> database.readOnly(false);
            }
            case CUT_CONNECTIONS -> did(() -> network.forEach(FaultyProxy::cut));
            case HALF_CLOSE_CONNECTIONS -> did(() -> network.forEach(FaultyProxy::halfClose));
            case REFUSE_CONNECTIONS -> {
                network.forEach(proxy -> proxy.refuse(true));
                network.forEach(FaultyProxy::cut);
                yield () -> network.forEach(proxy -> proxy.refuse(false));
            }
            case SLOW_NETWORK -> {
                Duration delay = Duration.ofMillis(1 + random.nextInt(LONGEST_DELAY_MILLIS));
                network.forEach(proxy -> proxy.delay(delay));
                yield () -> network.forEach(proxy -> proxy.delay(Duration.ZERO));
            }
            case LOSE_COMMIT -> {
                slot.toDatabase().swallow(database.kind().commit());
                yield slot.toDatabase()::spare;
            }
            case LOSE_ANSWER_TO_COMMIT -> {
                slot.toDatabase().swallowAnswerTo(database.kind().commit());
                yield slot.toDatabase()::spare;
            }
            case STATEMENT_TIMEOUTS -> {
                Connection locks = RowLocks.hold(database);
                yield locks::close;
            }
            case DEADLOCKS -> {
                long until = System.nanoTime() + step.time().toNanos();
                Thread disturber = new Thread(() -> RowLocks.disturb(database, until), "disturber");
                disturber.start();
                yield disturber::join;
            }
            case STEP_CLOCK -> {
                long far = CLOCK_STEP.toMillis();
                slot.order("clock " + (random.nextBoolean() ? far : -far));
                yield () -> slot.order("clock 0");
            }
            case EXHAUST_POOL -> did(() -> slot.order("exhaust " + millis));
            case LISTENERS_THROW -> did(() -> slot.order("throw " + millis));
            case LISTENERS_HANG -> did(() -> slot.order("hang " + millis));
            case LISTENERS_RUN_OUT_OF_MEMORY -> did(() -> slot.order("out-of-memory " + millis));
            case LISTENER_OUTLIVES_LEASE -> did(() -> slot.order("slow " + millis));
            case MIGRATE_TABLES -> did(tables::migrate);
        };
    }

    /** For what ends by itself. */
    private static Undo did(Undo now) throws Exception {
        now.run();
        return () -> {};
    }

    /** Goes on with what takes its time: ends faults that are over, and restarts processes one after the other. */
    public void look() throws Exception {
        undoWhatIsOver();
        for (Slot slot : slots) {
            slot.look();
        }
        if (!toRestart.isEmpty() && slots.stream().noneMatch(Slot::isStopping)) {
            Slot next = toRestart.remove();
            if (next.isUp()) {
                next.beginStop();
            } else {
                toRestart.add(next); // later
            }
        }
    }

    private void undoWhatIsOver() throws Exception {
        for (Iterator<Ending> all = endings.iterator(); all.hasNext(); ) {
            Ending ending = all.next();
            if (System.nanoTime() >= ending.atNanos) {
                undo(ending);
                all.remove();
            }
        }
    }

    private void undo(Ending ending) throws Exception {
        ending.undo.run();
        Files.writeString(
                log,
                ending.kind.label() + " at " + ending.process + ", " + ending.begun + " to " + System.nanoTime() + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        if (!nodes.contains(ending.slot)) {
            return; // what hurts a consumer is no reason to deliver again what it has taken
        }
        switch (ending.kind.excuse) {
            case NONE -> {}
            case PROCESS -> addWindow(ending, ending.process);
            case ALL -> addWindow(ending, null);
        }
    }

    private void addWindow(Ending ending, @Nullable String process) {
        windows.add(new FaultWindow(ending.kind.label(), process, ending.begun, System.nanoTime()));
    }

    /** Whether everything is as it should be again. */
    public boolean isQuiet() {
        return endings.isEmpty() && toRestart.isEmpty() && slots.stream().allMatch(Slot::isUp);
    }

    /** When deliveries may have been repeated, and whose. */
    public List<FaultWindow> windows() {
        return windows;
    }

    /** How many faults there were of each kind. */
    public Map<FaultKind, Integer> counts() {
        return counts;
    }
}
