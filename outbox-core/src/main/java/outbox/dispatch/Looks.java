package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.WriterHook;
import outbox.dispatch.JoinedList.Look;
import outbox.internal.GuardedHook;
import outbox.internal.task.LastWork;
import outbox.internal.task.PeriodicTask;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.OutboxHealth;
import outbox.spi.ConnectionProvider;

/**
 * Looks for rows when they are due, on a thread that is there from the first event on. One statement asks for many events, and none is sent while
 * there is nothing to look for. Thread-safe.
 */
final class Looks implements AutoCloseable {

    private static final Logger LOG = SafeLog.of(JoinedEvents.class);
    private static final int GROUP_SIZE = 500;
    private static final Duration NEVER = Duration.ofDays(365);

    /** How long the close waits for the database; what is not found by then is left to whoever finds it. */
    private static final Duration LAST_LOOK_WITHIN = Duration.ofSeconds(2);

    /**
     * What looks need.
     *
     * @param list what is looked for
     * @param connections on which the table is asked
     * @param told hears what was found, and of what nobody looks for any more
     * @param forgotten hears of ids that nobody looks for any more, before anybody else does
     */
    record Setup(
            JoinedList list,
            ConnectionProvider connections,
            LongSupplier nanoTime,
            WriterHook told,
            Consumer<String> forgotten) {}

    /** A question to the table. */
    @FunctionalInterface
    interface Question {

        /** Returns the ids of those that are there. */
        Set<String> ask(Connection conn, Collection<String> eventIds) throws SQLException;
    }

    private final Setup setup;
    private final JoinedList list;
    private final Consumer<List<Look>> look;
    private final PeriodicTask schedule;

    /** @param look looks for some events, with {@link #ask} */
    Looks(String name, String threadPrefix, Setup setup, Consumer<List<Look>> look) {
        this.setup = setup;
        this.list = setup.list;
        this.look = look;
        this.schedule = new PeriodicTask(name, threadPrefix, NEVER, this::lookNow);
    }

    JoinedList list() {
        return list;
    }

    boolean isClosed() {
        return schedule.isClosed();
    }

    private long now() {
        return setup.nanoTime.getAsLong();
    }

    void add(JoinedEvent joined) {
        list.add(joined);
        wakeIn(joined.nextLook() - now());
    }

    /** Looks at once for events that may be committed. Returns false if there is no room for one of them, or nobody looks any more. */
    boolean addDue(List<JoinedEvent> events) {
        if (isClosed()) {
            return false;
        }
        boolean all = true;
        for (JoinedEvent event : events) {
            all &= list.addDue(event, now());
        }
        wakeIn(0);
        return all;
    }

    /** Somebody says something about the end of a transaction. */
    void soon(Collection<JoinedEvent> transaction, boolean ruledOut) {
        if (!transaction.isEmpty()) {
            list.look(transaction, ruledOut, now());
            wakeIn(0);
        }
    }

    /** A business transaction must not fail because there is no thread to be had; its events would be found by polls. */
    private void wakeIn(long nanos) {
        try {
            if (!schedule.isClosed()) {
                schedule.start();
            }
            if (nanos <= 0) {
                schedule.runSoon();
            } else {
                schedule.runAfter(Duration.ofNanos(nanos));
            }
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot look for joined events; polls find them later", LoggedError.of(e));
        }
    }

    /** Looks for what is due. */
    void lookNow() {
        List<Look> due = list.beginLook(now());
        for (int from = 0; from < due.size(); from += GROUP_SIZE) {
            look.accept(due.subList(from, Math.min(due.size(), from + GROUP_SIZE)));
        }
        long next = list.untilNextLook(now());
        if (next >= 0) {
            schedule.runAfter(Duration.ofNanos(next));
        }
    }

    /**
     * Asks the table, and tells what comes of it.
     *
     * @param found called for each event that is there; returns whether it is the one that was looked for
     */
    void ask(List<Look> group, Question question, Predicate<JoinedEvent> found) {
        Set<String> there = answer(group, question);
        List<EventEnvelope> committed = new ArrayList<>();
        List<EventEnvelope> rolledBack = new ArrayList<>();
        List<EventEnvelope> unknown = new ArrayList<>();
        for (Look each : group) {
            JoinedEvent joined = each.joined();
            if (there != null && there.contains(joined.eventId())) {
                if (list.found(joined) && found.test(joined)) {
                    committed.add(joined.event);
                }
            } else if (there == null ? each.over() : each.last()) {
                list.forget(joined);
                setup.forgotten.accept(joined.eventId());
                if (!joined.isEndTold()) {
                    (there != null && each.ruledOut() ? rolledBack : unknown).add(joined.event);
                }
            }
        }
        tell("afterCommit", setup.told::afterCommit, committed);
        tell("afterRollback", setup.told::afterRollback, rolledBack);
        tell("afterUnknown", setup.told::afterUnknown, unknown);
    }

    private static void tell(String phase, Consumer<List<EventEnvelope>> hook, List<EventEnvelope> events) {
        if (!events.isEmpty()) {
            GuardedHook.tell(LOG, phase, hook, List.copyOf(events));
        }
    }

    /** Null, if the database cannot be asked: there is another time, or it is over. */
    private @Nullable Set<String> answer(List<Look> group, Question question) {
        List<String> eventIds =
                group.stream().map(each -> each.joined().eventId()).toList();
        try {
            return ShortTransaction.run(setup.connections, conn -> question.ask(conn, eventIds));
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "Cannot look for " + eventIds.size() + " event(s) of joined transactions now",
                    LoggedError.of(e));
            return null;
        }
    }

    /** Whether the thread that looks does what it is there for. */
    OutboxHealth health() {
        String problem = schedule.problem();
        return problem == null ? OutboxHealth.HEALTHY : new OutboxHealth(List.of(problem));
    }

    /** Looks once more and stops. Closing twice is harmless. */
    @Override
    public void close() {
        schedule.close(LAST_LOOK_WITHIN);
        if (list.size() > 0) {
            list.lookForAll(now());
            LastWork.within(LAST_LOOK_WITHIN, "The last look for joined events", this::lookNow);
        }
    }
}
