package outbox.proof.fault;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.proof.database.HurtDatabase;
import outbox.proof.history.Delivery;
import outbox.proof.history.FaultWindow;
import outbox.proof.history.Flight;
import outbox.proof.history.JournalReader;
import outbox.proof.process.ProcessSettings;
import outbox.proof.process.ScriptPlayer;
import outbox.proof.proxy.FaultyProxy;
import outbox.testservers.ChildJvm;

/** The place of a process, with its ways to others. When a process ends, the next one takes its place. */
public final class Slot implements AutoCloseable {

    /** So long a process may take to end its listeners and to record what became of their events. */
    private static final long STOP_PATIENCE_NANOS = 60_000_000_000L;

    /** What runs here. */
    public interface Program {

        /** How the next process is started, given how many there were before and the port through which it reaches its database. */
        Start next(int number, int port) throws IOException;

        /** Whether that can be done to it; an older state of it may not know how. */
        default boolean knows(FaultKind kind) {
            return true;
        }
    }

    /**
     * A program, and the file of its settings, which include those that every process has.
     *
     * @param classPath where it is, if not where this process has its own
     * @param megabytes of its heap
     */
    public record Start(
            @Nullable String classPath, Class<?> program, ProcessSettings settings, Path file, int megabytes) {

        /** Of the program as it is now. */
        public Start(Class<?> program, ProcessSettings settings, Path file, int megabytes) {
            this(null, program, settings, file, megabytes);
        }
    }

    private record Life(ProcessSettings settings, ChildJvm jvm) {}

    private final HurtDatabase database;
    private final Program program;
    private final FaultyProxy toDatabase;
    private final @Nullable FaultyProxy door;
    private final List<Delivery> deliveries = new ArrayList<>();
    private final List<Flight> flights = new ArrayList<>();
    private final List<FaultWindow> stalls = new ArrayList<>();
    private final List<FaultWindow> deaths = new ArrayList<>();
    private final List<String> leaks = new ArrayList<>();
    private Life life;
    private int lives;
    private boolean ready;
    private boolean paused;
    private boolean producing;
    private @Nullable Long stopOrderedAt;

    /**
     * Opens the way to the database and starts the first process.
     *
     * @param door through which others come to the process, if they do; is closed with the slot
     */
    public Slot(HurtDatabase database, @Nullable FaultyProxy door, Program program) throws IOException {
        this.database = database;
        this.door = door;
        this.program = program;
        this.toDatabase = FaultyProxy.to(database.server().database().port());
        this.life = newLife();
    }

    private Life newLife() throws IOException {
        Start next = program.next(lives, toDatabase.port());
        lives++;
        ProcessSettings settings = next.settings();
        String classPath = next.classPath();
        ChildJvm jvm = ChildJvm.start(
                classPath == null ? System.getProperty("java.class.path") : classPath,
                next.program(),
                "-Xmx" + next.megabytes() + "m",
                List.of(next.file().toString()),
                settings.log());
        return new Life(settings, jvm);
    }

    /** The name of the process that is there now. */
    public String process() {
        return life.settings.name();
    }

    /** Its database. */
    public HurtDatabase database() {
        return database;
    }

    /** Its way to the database. */
    FaultyProxy toDatabase() {
        return toDatabase;
    }

    /** All ways to it and from it. */
    List<FaultyProxy> network() {
        return door == null ? List.of(toDatabase) : List.of(toDatabase, door);
    }

    /** Waits until it can be ordered about. */
    public void awaitReady() throws InterruptedException {
        life.jvm.await("ready");
        ready = true;
    }

    /** Whether something can be done to it that it would feel. */
    public boolean isUp() {
        return isReady() && !paused && stopOrderedAt == null && life.jvm.isAlive();
    }

    /** Whether that can be done to it. */
    boolean knows(FaultKind kind) {
        return program.knows(kind);
    }

    private boolean isReady() {
        ready |= life.jvm.hasSaid("ready");
        return ready;
    }

    /** Whether it is about to end in good order. */
    public boolean isStopping() {
        return stopOrderedAt != null;
    }

    /** Makes it write, and all that come after it. */
    public void produce() {
        producing = true;
        order("produce");
    }

    /** Makes it write no more, and returns how many of its events it has rolled back; none, if an event ends it meanwhile. */
    public long endProducing() throws InterruptedException {
        producing = false;
        order("enough");
        long deadline = System.nanoTime() + STOP_PATIENCE_NANOS;
        String written = life.jvm.poll("written");
        while (written == null && life.jvm.isAlive() && System.nanoTime() < deadline) {
            Thread.sleep(20); // between two looks
            written = life.jvm.poll("written");
        }
        return written == null ? 0 : Long.parseLong(written);
    }

    /** Says something to it. If an event has just ended it, nobody listens; {@link #look} will see that. */
    public void order(String order) {
        try {
            life.jvm.order(order);
        } catch (IOException e) {
            System.err.println(process() + " was not told " + order + ": " + e.getMessage());
        }
    }

    /** Asks it for something; its answer. */
    public String ask(String order) throws InterruptedException {
        order(order);
        return life.jvm.await(order);
    }

    /** SIGSTOP. */
    public void pause() throws IOException, InterruptedException {
        if (life.jvm.isAlive()) {
            life.jvm.pause();
            paused = true;
        }
    }

    /** SIGCONT, if it was paused and has not died since. */
    public void resume() throws IOException, InterruptedException {
        if (paused) {
            life.jvm.resume();
            paused = false;
        }
    }

    /** SIGKILL; the next one is started at once. */
    public void kill() throws IOException, InterruptedException {
        life.jvm.kill();
        replace();
    }

    /** Makes it end in good order; the next one is started by {@link #look}. */
    public void beginStop() {
        stopOrderedAt = System.nanoTime();
        order("stop");
    }

    /** Puts a process into the place of one that has ended. */
    public void look() throws IOException, InterruptedException {
        if (stopOrderedAt != null && hasStopped()) {
            replace();
        } else if (stopOrderedAt == null && !life.jvm.isAlive()) {
            noteDeath();
            replace();
        }
    }

    /** Waits until it has ended in good order, for which nobody takes its place. */
    public void awaitStopped() throws IOException, InterruptedException {
        while (!hasStopped()) {
            Thread.sleep(20); // between two looks
        }
        recall();
    }

    private void noteDeath() {
        if (isReady() && !wasEndedByEvent()) {
            leaks.add(process() + " died by itself");
        }
    }

    private boolean wasEndedByEvent() {
        return life.jvm.hasEndedWith(ScriptPlayer.HALTED);
    }

    private boolean hasStopped() throws InterruptedException {
        String said = life.jvm.poll("stopped");
        if (said != null) {
            if (!said.isEmpty()) {
                leaks.add(process() + " kept " + said);
            }
            life.jvm.awaitEnd();
            return true;
        }
        if (wasEndedByEvent()) {
            return true;
        }
        if (System.nanoTime() - (stopOrderedAt == null ? 0 : stopOrderedAt) > STOP_PATIENCE_NANOS) {
            leaks.add(process() + " did not end when it was told to");
            life.jvm.kill();
            return true;
        }
        return false;
    }

    private void replace() throws IOException {
        recall();
        paused = false;
        ready = false;
        stopOrderedAt = null;
        life = newLife();
        if (producing) {
            order("produce");
        }
    }

    private void recall() throws IOException {
        long end = life.jvm.endedAt();
        JournalReader journal = JournalReader.read(life.settings.journal(), process(), end);
        if (wasEndedByEvent()) {
            deaths.add(FaultWindow.deathByEvent(process(), journal.lastSign(), end));
        }
        deliveries.addAll(journal.deliveries());
        flights.addAll(journal.flights());
        stalls.addAll(journal.stalls());
    }

    /** The deliveries of all processes that have ended here. */
    public List<Delivery> deliveries() {
        return deliveries;
    }

    /** Which events they kept, and when. */
    public List<Flight> flights() {
        return flights;
    }

    /** When they stood still, by their own watch. */
    public List<FaultWindow> stalls() {
        return stalls;
    }

    /** When an event ended one of them. */
    public List<FaultWindow> deaths() {
        return deaths;
    }

    /** What they kept or did that they should not, in words. */
    public List<String> leaks() {
        return leaks;
    }

    @Override
    public void close() throws IOException {
        life.jvm.close();
        for (FaultyProxy proxy : network()) {
            proxy.close();
        }
    }
}
