package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.internal.LoggedError;
import outbox.internal.ShortTransaction;
import outbox.spi.ConnectionProvider;

/**
 * Makes the outcomes of a group of deliveries durable. The listeners have already run, so a database that says no is never a failure
 * of an event, and there are two ways for it to say no:
 *
 * <ul>
 *   <li>It does not answer. Then the group is tried again, with growing pauses, until it does; meanwhile its events stay in flight.
 *   <li>It answers, but refuses the group. Then one row may be to blame: the group is halved until that row stands alone. A single
 *       completion that is refused again and again is given up, its row keeps its state, and the event will be delivered again.
 * </ul>
 */
final class CompletionWriter {

    /** Waits between two tries; false means that there is no more time and the group must be given up. */
    @FunctionalInterface
    interface Pause {
        boolean await(Duration time);
    }

    /** Writes a group on a connection: one statement per kind of outcome. */
    @FunctionalInterface
    interface Marks {

        /** Returns the ids of events that belong to another process by now; their outcomes were not written and never will be. */
        Set<String> write(Connection conn, List<Completion> group);

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
    }

    static final int MAX_REFUSALS = 8;
    private static final int PROBE_TIMEOUT_SECONDS = 2;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());

    private final ConnectionProvider connections;
    private final Marks marks;
    private final Pause pause;
    private final Listener listener;

    CompletionWriter(ConnectionProvider connections, Marks marks, Pause pause, Listener listener) {
        this.connections = connections;
        this.marks = marks;
        this.pause = pause;
        this.listener = listener;
    }

    void write(List<Completion> group) {
        Map<Completion, Exception> refused = new LinkedHashMap<>();
        write(group, refused);
        insistOn(refused);
    }

    /** Keeps those that are to blame for later: insisting takes time, and the others need not wait for it. */
    private void write(List<Completion> group, Map<Completion, Exception> refused) {
        Duration wait = FIRST_PAUSE;
        Exception problem = tryWrite(group);
        while (problem != null && !databaseAnswers()) {
            if (!pause.await(wait)) {
                giveUp(group, problem);
                return;
            }
            LOG.log(Level.WARNING, cannotRecord(group) + ", trying again", LoggedError.of(problem));
            problem = tryWrite(group);
            wait = longerThan(wait);
        }
        if (problem == null) {
            return;
        }
        if (group.size() == 1) {
            refused.put(group.get(0), problem);
            return;
        }
        LOG.log(
                Level.WARNING,
                "Cannot record a group of " + group.size() + " outcomes, trying its halves",
                LoggedError.of(problem));
        int middle = group.size() / 2;
        write(group.subList(0, middle), refused);
        write(group.subList(middle, group.size()), refused);
    }

    /** All of them once per round, so that many cost no more time than one. A round that the database does not answer is not counted. */
    private void insistOn(Map<Completion, Exception> refused) {
        Duration wait = FIRST_PAUSE;
        int refusals = 1;
        while (!refused.isEmpty()) {
            if (refusals == MAX_REFUSALS || !pause.await(wait)) {
                refused.forEach((completion, problem) -> giveUp(List.of(completion), problem));
                return;
            }
            boolean answers = databaseAnswers();
            refused.entrySet().removeIf(this::isRecordedNow);
            refusals += answers ? 1 : 0;
            wait = longerThan(wait);
        }
    }

    private boolean isRecordedNow(Map.Entry<Completion, Exception> refused) {
        List<Completion> single = List.of(refused.getKey());
        LOG.log(Level.WARNING, cannotRecord(single) + ", trying again", LoggedError.of(refused.getValue()));
        Exception problem = tryWrite(single);
        if (problem != null) {
            refused.setValue(problem);
        }
        return problem == null;
    }

    private static Duration longerThan(Duration wait) {
        Duration twice = wait.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }

    private @Nullable Exception tryWrite(List<Completion> group) {
        Set<String> late;
        try {
            late = ShortTransaction.run(connections, conn -> writeOn(conn, group));
        } catch (SQLException | RuntimeException e) {
            return e;
        } catch (Error e) {
            // Not the database's word, so nothing that another try would change; but the events must not stay in
            // flight.
            giveUp(group, e);
            return null;
        }
        report(group, completion -> {
            if (late.contains(completion.eventId())) {
                listener.tooLate(completion);
            } else {
                listener.recorded(completion);
            }
        });
        return null;
    }

    /** The completions are written by now, or never will be: a listener that throws must not hide that from the others. */
    private static void report(List<Completion> group, Consumer<Completion> listener) {
        for (Completion completion : group) {
            try {
                listener.accept(completion);
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "Cannot report the outcome of " + completion, e);
            }
        }
    }

    private Set<String> writeOn(Connection conn, List<Completion> group) throws SQLException {
        if (marks.isRepeatable(group)) {
            return marks.write(conn, group);
        }
        return ShortTransaction.atomically(conn, transaction -> marks.write(transaction, group));
    }

    private boolean databaseAnswers() {
        try (Connection conn = connections.getConnection()) {
            return conn == null || isValid(conn);
        } catch (SQLException | RuntimeException e) {
            return false;
        }
    }

    private static boolean isValid(Connection conn) throws SQLException {
        try {
            return conn.isValid(PROBE_TIMEOUT_SECONDS);
        } catch (RuntimeException e) {
            return true; // a connection that cannot be asked is there all the same
        }
    }

    private void giveUp(List<Completion> group, Throwable problem) {
        LOG.log(Level.ERROR, cannotRecord(group) + "; giving up, may be delivered again", LoggedError.of(problem));
        report(group, listener::givenUp);
    }

    private static String cannotRecord(List<Completion> group) {
        Completion first = group.get(0);
        return "Cannot record that " + first + " is "
                + first.outcome().getClass().getSimpleName()
                + (group.size() == 1 ? "" : " and " + (group.size() - 1) + " other outcome(s)");
    }
}
