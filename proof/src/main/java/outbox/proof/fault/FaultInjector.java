package outbox.proof.fault;

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
import org.jspecify.annotations.Nullable;
import outbox.proof.database.HurtDatabase;
import outbox.proof.history.FaultWindow;
import outbox.proof.proxy.FaultyProxy;

/** Does what a plan says, and undoes it when its time is over. One thread calls it, again and again. */
public final class FaultInjector {

    private static final Duration CLOCK_STEP = Duration.ofMinutes(10);
    private static final int LONGEST_DELAY_MILLIS = 30;

    private interface Undo {
        void run() throws Exception;
    }

    private record Ending(
            long atNanos, FaultKind kind, @Nullable String process, long begun, Undo undo) {}

    private final HurtDatabase database;
    private final List<String> outboxes;
    private final List<Slot> slots;
    private final Random random;
    private final List<Ending> endings = new ArrayList<>();
    private final Deque<Slot> toRestart = new ArrayDeque<>();
    private final List<FaultWindow> windows = new ArrayList<>();
    private final Map<FaultKind, Integer> counts = new EnumMap<>(FaultKind.class);

    /** Hurts these nodes and this database. */
    public FaultInjector(HurtDatabase database, List<String> outboxes, List<Slot> slots, Random random) {
        this.database = database;
        this.outboxes = outboxes;
        this.slots = slots;
        this.random = random;
    }

    /** Takes a step, unless there is nobody who would feel it now. */
    public void take(FaultPlan.Step step) throws Exception {
        Slot slot = slotThatIsUp(step.slot());
        if (slot == null || (isOfDatabase(step.kind()) && isDatabaseHurt())) {
            return;
        }
        long begun = System.nanoTime();
        String process = slot.process();
        Undo undo = begin(step, slot);
        counts.merge(step.kind(), 1, Integer::sum);
        endings.add(new Ending(begun + step.time().toNanos(), step.kind(), process, begun, undo));
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

    private boolean isDatabaseHurt() {
        return endings.stream().anyMatch(ending -> isOfDatabase(ending.kind));
    }

    private static boolean isOfDatabase(FaultKind kind) {
        return switch (kind) {
            case KILL_DATABASE, STOP_DATABASE, READ_ONLY_DATABASE, STATEMENT_TIMEOUTS, DEADLOCKS, MIGRATE_TABLES ->
                true;
            default -> false;
        };
    }

    private Undo begin(FaultPlan.Step step, Slot slot) throws Exception {
        FaultyProxy proxy = slot.proxy();
        long millis = step.time().toMillis();
        return switch (step.kind()) {
            case KILL_NODE -> did(slot::kill);
            case PAUSE_NODE -> {
                slot.pause();
                yield slot::resume;
            }
            case RESTART_NODE -> did(() -> toRestart.add(slot));
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
            case CUT_CONNECTIONS -> did(proxy::cut);
            case HALF_CLOSE_CONNECTIONS -> did(proxy::halfClose);
            case REFUSE_CONNECTIONS -> {
                proxy.refuse(true);
                proxy.cut();
                yield () -> proxy.refuse(false);
            }
            case SLOW_NETWORK -> {
                proxy.delay(Duration.ofMillis(1 + random.nextInt(LONGEST_DELAY_MILLIS)));
                yield () -> proxy.delay(Duration.ZERO);
            }
            case LOSE_COMMIT -> {
                proxy.swallow(database.kind().commit());
                yield proxy::spare;
            }
            case LOSE_ANSWER_TO_COMMIT -> {
                proxy.swallowAnswerTo(database.kind().commit());
                yield proxy::spare;
            }
            case STATEMENT_TIMEOUTS -> {
                Connection locks = RowLocks.hold(database, outboxes);
                yield locks::close;
            }
            case DEADLOCKS -> {
                long until = System.nanoTime() + step.time().toNanos();
                Thread disturber = new Thread(() -> RowLocks.disturb(database, outboxes, until), "disturber");
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
            case MIGRATE_TABLES -> did(() -> database.migrate(outboxes));
        };
    }

    /** For what ends by itself. */
    private static Undo did(Undo now) throws Exception {
        now.run();
        return () -> {};
    }

    /** Goes on with what takes its time: ends faults that are over, and restarts nodes one after the other. */
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
        switch (ending.kind.excuse) {
            case NONE -> {}
            case NODE -> addWindow(ending, ending.process);
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
