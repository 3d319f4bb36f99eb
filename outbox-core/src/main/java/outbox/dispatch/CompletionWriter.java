package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;
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
 * <p>Not thread-safe: one thread at a time records outcomes.
 */
final class CompletionWriter {

    /** Waits between two tries; false means that there is no more time and the group must be given up. */
    @FunctionalInterface
    interface Pause {
        boolean await(Duration time);
    }

    /**
     * What became of a group of which only the rows were written that nobody else had locked.
     *
     * @param late the ids of events that belong to another process by now
     * @param locked the ids of events whose rows are locked, and unchanged
     */
    record Written(Set<String> late, Set<String> locked) {}

    /** Writes a group on a connection: one statement per kind of outcome. */
    @FunctionalInterface
    interface Marks {

        /** Returns the ids of events that belong to another process by now; their outcomes were not written and never will be. */
        Set<String> write(Connection conn, List<Completion> group);

        /**
         * Writes, in the connection's transaction, the outcomes of those rows that nobody else has locked, without waiting for the others.
         * Empty, the default, if that cannot be done.
         */
        default Optional<Written> writeUnlocked(Connection conn, List<Completion> group) {
            return Optional.empty();
        }

        /**
         * Whether the group needs no transaction around it, because the rest can be written later should only a part of it be written. By
         * default a group of one kind, which is one call. Except for retries, where a second try would count the attempt of that part
         * twice.
         */
        default boolean isRepeatable(List<Completion> group) {
            List<?> kinds = group.stream()
                    .map(completion -> completion.outcome().getClass())
                    .distinct()
                    .toList();
            return kinds.size() == 1 && (group.size() == 1 || kinds.get(0) != Outcome.Retry.class);
        }
    }

    /** Hears what became of the completions. */
    interface Listener {

        void recorded(Completion completion);

        /** The event had been taken over by another process, which decides what becomes of it. */
        void tooLate(Completion completion);

        void givenUp(Completion completion);

        /** Somebody else has locked the row; it will be heard of again. */
        default void kept(Completion completion) {}
    }

    /** How long a plain write may wait for rows that somebody else has locked. */
    static final Duration TIME_LIMIT = Duration.ofSeconds(2);

    static final int MAX_REFUSALS = Refusals.MAX;

    /** How many locked rows are tried at once. */
    private static final int ROUND_SIZE = 500;

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final Tries tries;
    private final Pause pause;
    private final Reports reports;
    private final LockedOutcomes locked;

    CompletionWriter(ConnectionProvider connections, Marks marks, Pause pause, Listener listener) {
        this(connections, marks, pause, listener, new LockedOutcomes(System::nanoTime));
    }

    CompletionWriter(
            ConnectionProvider connections, Marks marks, Pause pause, Listener listener, LockedOutcomes locked) {
        this.pause = pause;
        this.reports = new Reports(listener);
        this.locked = locked;
        this.tries = new Tries(new MarkTransactions(connections, marks), pause, reports, locked);
    }

    /**
     * On return something has become of each completion, or somebody has locked its row and it is tried again later.
     *
     * @throws VirtualMachineError if memory has run out on the way; of some completions nothing was told by then, and they may be given
     *     to this again
     */
    void write(List<Completion> group) {
        if (group.isEmpty()) {
            return;
        }
        settle(group, refusals -> write(group, tries::write, refusals));
    }

    /** How many outcomes wait for rows that somebody else has locked. */
    int lockedCount() {
        return locked.count();
    }

    /** When to call {@link #tryLockedAgain()}; null if nothing is locked. */
    @Nullable
    Duration timeToNextTry() {
        return locked.timeToNextTry();
    }

    /** Comes back to the rows that somebody else had locked, if it is time. */
    void tryLockedAgain() {
        if (!locked.isDue()) {
            return;
        }
        List<Completion> all = locked.beginRound();
        try {
            settle(all, refusals -> writeFree(all, refusals));
        } catch (VirtualMachineError e) {
            reports.due().forEach(tries::keep);
            throw e;
        } finally {
            locked.endRound(all.size());
        }
    }

    /** Waits for the rows that are still locked, and gives up when there is no more time. */
    void finish() {
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
        List<Completion> left = locked.takeAll();
        if (!left.isEmpty()) {
            reports.expect(left);
            tries.giveUp(left, new IllegalStateException("Somebody else has locked the row"));
        }
    }

    private void settle(List<Completion> group, Consumer<Refusals> work) {
        reports.expect(group);
        try {
            Refusals refusals = new Refusals(tries, pause);
            work.accept(refusals);
            refusals.insist();
        } catch (VirtualMachineError e) {
            throw e; // there may be enough memory in a moment
        } catch (Throwable e) {
            reports.givenUp(reports.due());
            throw e;
        }
    }

    /** One by one where the database cannot pass over locked rows, up to the first that is still locked: each costs the time limit. */
    private void writeFree(List<Completion> all, Refusals refusals) {
        int next = 0;
        while (next < all.size() && (tries.skipsLocked() || locked.count() == 0)) {
            int end = Math.min(all.size(), next + (tries.skipsLocked() ? ROUND_SIZE : 1));
            write(all.subList(next, end), tries::writeAgain, refusals);
            next = end;
        }
        tries.putBack(all.subList(next, all.size()));
    }

    private void write(
            List<Completion> group, Function<List<Completion>, @Nullable Exception> attempt, Refusals refusals) {
        Exception problem = attempt.apply(group);
        if (problem == null) {
            return;
        }
        if (group.size() > 1) {
            LOG.log(
                    Level.WARNING,
                    "Cannot record a group of " + group.size() + " outcomes, trying its halves",
                    LoggedError.of(problem));
            int middle = group.size() / 2;
            write(group.subList(0, middle), attempt, refusals);
            write(group.subList(middle, group.size()), attempt, refusals);
        } else if (Tries.isLocked(problem)) {
            tries.keep(group.get(0));
        } else {
            refusals.add(group.get(0), problem);
        }
    }
}
