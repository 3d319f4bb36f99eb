package outbox.proof.fault;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.proof.database.HurtDatabase;
import outbox.proof.database.OutboxTables;
import outbox.proof.fault.FaultKind.Excuse;
import outbox.proof.history.FaultWindow;

/** Does what a plan says, and undoes it when its time is over. One thread calls it, again and again. */
public final class FaultInjector {

    private record Ending(long atNanos, FaultKind kind, Slot slot, String process, long begun, Damage damage) {}

    private final List<Slot> nodes;
    private final List<Slot> slots;
    private final FaultScripts scripts;
    private final Path log;
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
        this.scripts = new FaultScripts(slots, tables, toRestart, random);
        this.log = log;
    }

    /** Takes a step, unless there is nobody who would feel it now. */
    public void take(FaultPlan.Step step) throws Exception {
        FaultKind kind = step.kind();
        Slot slot = slotThatIsUp(kind.isOfNodes() ? nodes : slots, step);
        if (slot == null || (kind.isOfDatabase() && isHurt(slot.database()))) {
            return;
        }
        long begun = System.nanoTime();
        String process = slot.process();
        Damage damage = scripts.begin(step, slot);
        counts.merge(kind, 1, Integer::sum);
        endings.add(new Ending(begun + step.time().toNanos(), kind, slot, process, begun, damage));
        undoWhatIsOver();
    }

    private static @Nullable Slot slotThatIsUp(List<Slot> among, FaultPlan.Step step) {
        for (int i = 0; i < among.size(); i++) {
            Slot slot = among.get((step.slot() + i) % among.size());
            if (slot.isUp() && slot.knows(step.kind())) {
                return slot;
            }
        }
        return null;
    }

    private boolean isHurt(HurtDatabase database) {
        return endings.stream().anyMatch(ending -> ending.kind.isOfDatabase() && ending.slot.database() == database);
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
        ending.damage.undo().run();
        long end = System.nanoTime();
        writeDown(ending, end);
        if (!nodes.contains(ending.slot)) {
            return; // what hurts a consumer is no reason to deliver again what it has taken
        }
        FaultKind kind = ending.kind;
        addWindow(kind.repeats, true, ending, end);
        if (kind.delays != kind.repeats) {
            addWindow(kind.delays, false, ending, end);
        }
    }

    private void writeDown(Ending ending, long end) throws IOException {
        Set<String> rows = ending.damage.rows();
        Files.writeString(
                log,
                ending.kind.label() + " at " + ending.process + ", " + ending.begun + " to " + end
                        + (rows == null ? "" : ", " + rows.size() + " rows") + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    private void addWindow(Excuse excuse, boolean repeats, Ending ending, long end) {
        if (excuse != Excuse.NONE) {
            windows.add(new FaultWindow(
                    ending.kind.label(),
                    excuse == Excuse.PROCESS ? ending.process : null,
                    excuse == Excuse.ROWS ? ending.damage.rows() : null,
                    ending.begun,
                    end,
                    repeats));
        }
    }

    /** Whether everything is as it should be again. */
    public boolean isQuiet() {
        return endings.isEmpty() && toRestart.isEmpty() && slots.stream().allMatch(Slot::isUp);
    }

    /** When outcomes may have had to wait and deliveries may have been repeated, and whose. */
    public List<FaultWindow> windows() {
        return windows;
    }

    /** How many faults there were of each kind. */
    public Map<FaultKind, Integer> counts() {
        return counts;
    }
}
