package outbox.internal.outcome;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.DeadEvent;
import outbox.internal.dead.Deaths;
import outbox.internal.outcome.CompletionWriter.Written;
import outbox.internal.text.RowWords;
import outbox.spi.CompactionStore;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.HeldDead;
import outbox.spi.LeaseStore.HeldRetry;
import outbox.spi.LeaseStore.Postponed;
import outbox.spi.OutboxStore;

/**
 * Turns completions into a store's marks, one call per kind. The outcome of a leased event changes nothing if the event has changed hands;
 * one that was never leased is marked as it is.
 *
 * <p>A group is written plainly and under a time limit, which costs nothing more than a plain write; and, if it ran into the limit, only
 * as far as nobody else has locked its rows. For that there is no limit: there is nobody left to wait for, and a database that is merely
 * slow must get its work done in the end.
 */
public final class StoreMarks implements Marks {

    private final Target plain;
    private final Target limited;
    private final Supplier<String> ownerId;
    private final boolean deletesDone;
    private final Deaths deaths;
    private final Predicate<Completion> compacted;

    /**
     * What is special about some events.
     *
     * @param deaths hears of events that end DEAD, in the transaction of their marks
     * @param compacted whether only the newest event of its key matters
     */
    public record Special(Deaths deaths, Predicate<Completion> compacted) {

        /** Nothing is. */
        public static final Special NOTHING = new Special(Deaths.UNTOLD, any -> false);
    }

    /** Of an outbox where no events are special. */
    public StoreMarks(OutboxStore store, Supplier<String> ownerId, boolean deletesDone, Duration timeLimit) {
        this(store, ownerId, deletesDone, timeLimit, Special.NOTHING);
    }

    /**
     * @param ownerId under which events are leased; asked only if one is
     * @param deletesDone whether the row of a delivered event is deleted instead of marked
     * @param special which events are special
     */
    public StoreMarks(
            OutboxStore store, Supplier<String> ownerId, boolean deletesDone, Duration timeLimit, Special special) {
        this.plain = new Target(store);
        this.limited = new Target(store.withMarkTimeout(timeLimit));
        this.ownerId = ownerId;
        this.deletesDone = deletesDone;
        this.deaths = special.deaths;
        this.compacted = special.compacted;
    }

    /**
     * Checks that delivered events can be deleted.
     *
     * @throws IllegalArgumentException if the store cannot
     */
    public static void requireAbleToDelete(OutboxStore store) {
        if (!store.canDelete()) {
            throw new IllegalArgumentException("completionMode DELETE needs a store that can delete, but "
                    + store.getClass().getName() + " cannot; override canDelete and deleteAll, or use MARK_DONE");
        }
    }

    /** A store and what it does for leases. */
    private record Target(OutboxStore store, @Nullable LeaseStore leases) {

        Target(OutboxStore store) {
            this(store, store.leases());
        }
    }

    @Override
    public Set<String> write(Connection conn, List<Completion> group) {
        return write(limited, conn, group);
    }

    @Override
    public Optional<Written> writeUnlocked(Connection conn, List<Completion> group) {
        if (!plain.store.canSkipLocked(conn)) {
            return Optional.empty();
        }
        Set<String> locked = plain.store.lockOrSkip(
                conn, group.stream().map(Completion::eventId).toList());
        List<Completion> free = group.stream()
                .filter(completion -> !locked.contains(completion.eventId()))
                .toList();
        Set<String> late = free.isEmpty() ? Set.of() : write(plain, conn, free);
        return Optional.of(new Written(late, locked));
    }

    /**
     * Without leases, a group of one kind, which is one call; except for retries, where a second try would count the attempt of the written
     * part twice. With leases, what was marked is not held any more, so a second try would take it for lost: only a group that a store marks
     * with one statement is written as a whole or not at all, that is deliveries. What is told of the end of an event belongs to its mark.
     */
    @Override
    public boolean isRepeatable(List<Completion> group) {
        if (group.stream().anyMatch(this::isTold)) {
            return false;
        }
        if (group.size() == 1) {
            return true;
        }
        Class<?> kind = group.get(0).outcome().getClass();
        boolean oneKind =
                group.stream().allMatch(completion -> completion.outcome().getClass() == kind);
        if (plain.leases == null) {
            return oneKind && kind != Verdict.Retry.class;
        }
        return oneKind
                && kind == Verdict.Done.class
                && group.stream()
                                .map(completion -> completion.hold() == null)
                                .distinct()
                                .count()
                        == 1;
    }

    private Set<String> write(Target target, Connection conn, List<Completion> group) {
        LeaseStore leases = target.leases;
        Set<String> late = new HashSet<>();
        Leased leased = new Leased();
        List<Completion> others = new ArrayList<>();
        for (Completion completion : group) {
            Hold hold = leases == null ? null : completion.hold();
            if (hold == null) {
                others.add(completion);
            } else if (hold.isCurrent()) {
                leased.add(completion);
            } else {
                late.add(completion.eventId()); // this process has leased it anew, for another delivery
            }
        }
        if (leases != null) {
            leased.write(leases, conn, late);
            leased.writeCompacted(target.store.compaction(), conn, late);
        }
        if (!others.isEmpty()) {
            writeUnleased(target.store, conn, others);
        }
        for (Completion completion : leased.told) {
            if (!late.contains(completion.eventId())) {
                tell(conn, completion);
            }
        }
        return late;
    }

    private boolean isTold(Completion completion) {
        return completion.outcome() instanceof Verdict.Dead && deaths.areTold(completion.eventType());
    }

    private void tell(Connection conn, Completion completion) {
        Verdict.Dead end = (Verdict.Dead) completion.outcome();
        boolean delivered = completion.deliveryNanos() != Completion.NOT_DELIVERED;
        deaths.marked(
                conn,
                new DeadEvent(
                        completion.eventId(),
                        completion.eventType(),
                        completion.aggregateType(),
                        completion.aggregateId(),
                        completion.tenantId(),
                        errorOf(end),
                        completion.attempts() + (delivered ? 1 : 0),
                        end.holdsKey(),
                        deaths.now(),
                        null));
    }

    private final class Leased {
        private final List<String> done = new ArrayList<>();
        private final List<HeldRetry> retries = new ArrayList<>();
        private final List<Postponed> postponed = new ArrayList<>();
        private final List<HeldDead> dead = new ArrayList<>();
        private final List<Completion> told = new ArrayList<>();
        private final List<String> superseded = new ArrayList<>();
        private final List<HeldRetry> compactedRetries = new ArrayList<>();

        private void add(Completion completion) {
            String id = completion.eventId();
            List<HeldRetry> repeated = compacted.test(completion) ? compactedRetries : retries;
            if (completion.outcome() instanceof Verdict.Retry retry) {
                repeated.add(new HeldRetry(id, completion.attempts() + 1, retry.delay(), retry.error()));
            } else if (completion.outcome() instanceof Verdict.Later later) {
                repeated.add(new HeldRetry(id, completion.attempts(), later.delay(), later.error()));
            } else if (completion.outcome() instanceof Verdict.Postponed wait) {
                postponed.add(new Postponed(id, wait.crashes(), wait.delay()));
            } else if (completion.outcome() instanceof Verdict.Dead end) {
                dead.add(new HeldDead(id, end.error(), end.holdsKey()));
                if (isTold(completion)) {
                    told.add(completion);
                }
            } else if (completion.outcome() instanceof Verdict.Superseded) {
                superseded.add(id);
            } else {
                done.add(id);
            }
        }

        /** @param compaction not null if there are such events */
        private void writeCompacted(@Nullable CompactionStore compaction, Connection conn, Set<String> late) {
            if (compaction != null && !superseded.isEmpty()) {
                late.addAll(compaction.markSuperseded(conn, ownerId.get(), superseded));
            }
            if (compaction != null && !compactedRetries.isEmpty()) {
                late.addAll(compaction.markRetry(conn, ownerId.get(), compactedRetries));
            }
        }

        private void write(LeaseStore leases, Connection conn, Set<String> late) {
            if (!done.isEmpty()) {
                late.addAll(
                        deletesDone
                                ? leases.delete(conn, ownerId.get(), done)
                                : leases.markDone(conn, ownerId.get(), done));
            }
            if (!retries.isEmpty()) {
                late.addAll(leases.markRetry(conn, ownerId.get(), retries));
            }
            if (!postponed.isEmpty()) {
                late.addAll(leases.postpone(conn, ownerId.get(), postponed));
            }
            if (!dead.isEmpty()) {
                late.addAll(leases.markDead(conn, ownerId.get(), dead));
            }
        }
    }

    private void writeUnleased(OutboxStore target, Connection conn, List<Completion> group) {
        List<String> done = new ArrayList<>(group.size());
        List<OutboxStore.Retry> retries = new ArrayList<>();
        List<OutboxStore.Retry> later = new ArrayList<>();
        List<OutboxStore.Dead> dead = new ArrayList<>();
        for (Completion completion : group) {
            if (completion.outcome() instanceof Verdict.Retry retry) {
                retries.add(new OutboxStore.Retry(completion.eventId(), retry.nextAt(), retry.error()));
            } else if (completion.outcome() instanceof Verdict.Later wait) {
                later.add(new OutboxStore.Retry(completion.eventId(), wait.nextAt(), wait.error()));
            } else if (completion.outcome() instanceof Verdict.Dead && isTold(completion)) {
                markDeadAndTell(target, conn, completion);
            } else if (completion.outcome() instanceof Verdict.Dead end) {
                dead.add(new OutboxStore.Dead(completion.eventId(), errorOf(end)));
            } else if (completion.outcome() instanceof Verdict.Done) {
                done.add(completion.eventId());
            }
        }
        if (!done.isEmpty() && deletesDone) {
            target.deleteAll(conn, done);
        } else if (!done.isEmpty()) {
            target.markDoneAll(conn, done);
        }
        if (!retries.isEmpty()) {
            target.markRetryAll(conn, retries);
        }
        if (!later.isEmpty()) {
            target.putOffAll(conn, later);
        }
        if (!dead.isEmpty()) {
            target.markDeadAll(conn, dead);
        }
    }

    /** One by one: of a group nobody knows which of its events had ended already. */
    private void markDeadAndTell(OutboxStore target, Connection conn, Completion completion) {
        if (target.markDead(conn, completion.eventId(), errorOf((Verdict.Dead) completion.outcome())) > 0) {
            tell(conn, completion);
        }
    }

    private static String errorOf(Verdict.Dead end) {
        @Nullable String error = end.error();
        return error == null ? RowWords.USED_UP : error;
    }
}
