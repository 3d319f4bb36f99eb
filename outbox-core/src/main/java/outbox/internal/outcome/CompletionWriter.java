package outbox.internal.outcome;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.spi.ConnectionProvider;

/**
 * Makes the outcomes of a group of deliveries durable. The listeners have already run, so a database that says no is never a failure
 * of an event, and there are three ways for it to say no:
 *
 * <ul>
 *   <li>It cannot write now, whatever it is given: it is away, read-only, or has rolled the group back in favour of somebody else's work.
 *       Then the group is tried again, with growing pauses, until it can; meanwhile its events stay in flight.
 *   <li>Somebody else has locked a row. Then the outcomes of the other rows are written, and that of the locked one is kept and tried again
 *       while other groups go on.
 *   <li>It refuses the group. Then one row may be to blame: the group is halved until that row stands alone. A single completion that is
 *       refused is tried without its error text, and again and again; then it is given up, its row keeps its state, and the event will be
 *       delivered again.
 * </ul>
 *
 * <p>What happens after a no is in {@link Recovery}. Not thread-safe: one thread at a time records outcomes.
 */
public final class CompletionWriter {

    /** Waits between two tries; false means that there is no more time and the group must be given up. */
    @FunctionalInterface
    public interface Pause {
        boolean await(Duration time);
    }

    /** Hears what became of the completions, of each once. */
    public interface Listener {

        void recorded(Completion completion);

        /** The event had been taken over by another process, which decides what becomes of it. */
        void tooLate(Completion completion);

        void givenUp(Completion completion);

        /** Somebody else has locked the row; it will be heard of again. */
        default void kept(Completion completion) {}
    }

    /**
     * What became of a group of which only the rows were written that nobody else had locked.
     *
     * @param late the ids of events that belong to another process by now
     * @param locked the ids of events whose rows are locked, and unchanged
     */
    public record Written(Set<String> late, Set<String> locked) {}

    /** How long a plain write may wait for rows that somebody else has locked. */
    public static final Duration TIME_LIMIT = Duration.ofSeconds(2);

    private static final Logger LOG = SafeLog.of(CompletionWriter.class);

    private final ConnectionProvider connections;
    private final Marks marks;
    private final Pause pause;
    private final Listener listener;
    private final LongSupplier nanoTime;

    /** Those of which nothing was told yet: an event of which nothing is ever told would stay in flight for ever. */
    private final Set<Completion> due = Collections.newSetFromMap(new IdentityHashMap<>());

    /** Null until the database has said no for the first time. */
    private @Nullable Recovery recovery;

    public CompletionWriter(ConnectionProvider connections, Marks marks, Pause pause, Listener listener) {
        this(connections, marks, pause, listener, System::nanoTime);
    }

    CompletionWriter(
            ConnectionProvider connections, Marks marks, Pause pause, Listener listener, LongSupplier nanoTime) {
        this.connections = connections;
        this.marks = marks;
        this.pause = pause;
        this.listener = listener;
        this.nanoTime = nanoTime;
    }

    /**
     * On return something has become of each completion, or somebody has locked its row and it is tried again later.
     *
     * @throws VirtualMachineError if memory has run out on the way; of some completions nothing was told by then, and they may be given
     *     to this again
     */
    public void write(List<Completion> group) {
        if (!group.isEmpty()) {
            settle(group, this::writeFirst);
        }
    }

    private void writeFirst(List<Completion> group) {
        if (recovery != null) {
            recovery.write(group);
            return;
        }
        Exception problem = attemptPlainly(group);
        if (problem != null) {
            recovery = new Recovery(this, connections, pause, nanoTime);
            recovery.recover(group, problem);
        }
    }

    /** Does work after which something has become of each completion; those of which nothing has are given up. */
    private void settle(List<Completion> group, Consumer<List<Completion>> work) {
        due.addAll(group);
        try {
            work.accept(group);
        } catch (VirtualMachineError e) {
            throw e; // there may be enough memory in a moment
        } catch (Throwable e) {
            tellGivenUp(List.copyOf(due));
            throw e;
        }
    }

    /** How many outcomes wait for rows that somebody else has locked. */
    public int lockedCount() {
        return recovery == null ? 0 : recovery.locked().count();
    }

    /** When to call {@link #tryLockedAgain()}; null if nothing is locked. */
    public @Nullable Duration timeToNextTry() {
        return recovery == null ? null : recovery.locked().timeToNextTry();
    }

    /** Comes back to the rows that somebody else had locked, if it is time. */
    public void tryLockedAgain() {
        Recovery current = recovery;
        if (current == null || !current.locked().isDue()) {
            return;
        }
        List<Completion> all = current.locked().beginRound();
        try {
            settle(all, current::writeLocked);
        } catch (VirtualMachineError e) {
            List.copyOf(due).forEach(current::keep);
            throw e;
        } finally {
            current.locked().endRound(all.size());
        }
    }

    /** Waits for the rows that are still locked, and gives up when there is no more time. */
    public void finish() {
        boolean time = true;
        try {
            for (Duration wait = timeToNextTry(); wait != null && time; wait = timeToNextTry()) {
                time = pause.await(wait);
                tryLockedAgain();
            }
        } finally {
            giveUpLocked();
        }
    }

    private void giveUpLocked() {
        List<Completion> left = recovery == null ? List.of() : recovery.locked().takeAll();
        if (!left.isEmpty()) {
            due.addAll(left);
            giveUp(left, new IllegalStateException("Somebody else has locked the row"));
        }
    }

    /** Tries to write a group as it is. Returns what the database has against it; null if nothing is left to do. */
    @Nullable
    Exception attemptPlainly(List<Completion> group) {
        return attempt(group, group);
    }

    /** As {@link #attemptPlainly}, with no more of the completion's error than every database takes. */
    @Nullable
    Exception attemptWithoutText(Completion completion) {
        return attempt(List.of(completion), List.of(completion.withoutText()));
    }

    private @Nullable Exception attempt(List<Completion> group, List<Completion> asWritten) {
        return attempt(
                group,
                () -> new Written(ShortTransaction.run(connections, conn -> writeOn(conn, asWritten)), Set.of()));
    }

    private Set<String> writeOn(Connection conn, List<Completion> group) throws SQLException {
        return marks.isRepeatable(group)
                ? marks.write(conn, group)
                : ShortTransaction.atomically(conn, transaction -> marks.write(transaction, group));
    }

    /** As {@link #attemptPlainly}, for those rows that nobody else has locked; plainly if the database cannot tell them apart. */
    @Nullable
    Exception attemptUnlocked(List<Completion> group, Runnable cannotSkip) {
        return attempt(group, () -> {
            Optional<Written> written = ShortTransaction.run(
                    connections,
                    conn -> ShortTransaction.atomically(conn, transaction -> marks.writeUnlocked(transaction, group)));
            if (written.isPresent()) {
                return written.get();
            }
            cannotSkip.run();
            return new Written(ShortTransaction.run(connections, conn -> writeOn(conn, group)), Set.of());
        });
    }

    private interface Work {
        Written run() throws SQLException;
    }

    private @Nullable Exception attempt(List<Completion> group, Work work) {
        Written written;
        try {
            written = work.run();
        } catch (SQLException | RuntimeException e) {
            return e;
        } catch (VirtualMachineError e) {
            throw e; // there may be enough memory in a moment
        } catch (Error e) {
            // Not the database's word, so nothing that another try would change; but the events must not stay in
            // flight.
            giveUp(group, e);
            return null;
        }
        tellWritten(group, written);
        return null;
    }

    /** Tells first and logs then: what is recorded must not be taken for lost because of a log that throws. */
    private void tellWritten(List<Completion> group, Written written) {
        for (Completion completion : group) {
            if (recovery != null && written.locked().contains(completion.eventId())) {
                setAside(completion);
                recovery.locked().add(completion);
            } else {
                tell(
                        completion,
                        written.late().contains(completion.eventId()) ? listener::tooLate : listener::recorded);
            }
        }
        if (recovery != null) {
            recovery.written(group.size());
        }
    }

    /** Says that this one will be heard of again. */
    void setAside(Completion completion) {
        due.remove(completion);
        listener.kept(completion);
    }

    void giveUp(List<Completion> group, Throwable problem) {
        tellGivenUp(group);
        LOG.log(Level.ERROR, cannotRecord(group) + "; giving up, may be delivered again", LoggedError.of(problem));
    }

    private void tellGivenUp(List<Completion> group) {
        group.forEach(completion -> tell(completion, listener::givenUp));
    }

    /** A listener that throws hides nothing from the others. */
    private void tell(Completion completion, Consumer<Completion> report) {
        if (!due.remove(completion)) {
            return;
        }
        try {
            report.accept(completion);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, () -> "Cannot report the outcome of " + completion, LoggedError.of(e));
        }
    }

    static String cannotRecord(List<Completion> group) {
        Completion first = group.get(0);
        return "Cannot record that " + first + " is " + first.outcomeName()
                + (group.size() == 1 ? "" : " and " + (group.size() - 1) + " other outcome(s)");
    }
}
