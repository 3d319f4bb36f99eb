package outbox.dispatch;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.Held;
import outbox.spi.LeaseStore.HeldDead;
import outbox.spi.LeaseStore.HeldRetry;

/**
 * Turns completions of leased events into marks that change nothing if the event has changed hands, one call per kind. Events that were
 * never leased are left to the marks without leases.
 */
final class LeasedMarks implements CompletionWriter.Marks {

    private static final int UNLEASED = -1;

    private final NodeLeases leases;
    private final LeaseStore store;
    private final CompletionMode mode;
    private final CompletionWriter.Marks unleased;

    LeasedMarks(NodeLeases leases, LeaseStore store, CompletionMode mode, CompletionWriter.Marks unleased) {
        this.leases = leases;
        this.store = store;
        this.mode = mode;
        this.unleased = unleased;
    }

    /**
     * What was marked is not held any more, so a second try would take it for lost. Only a group that a store marks with one statement is
     * written as a whole or not at all: deliveries of leased events with the same number of attempts.
     */
    @Override
    public boolean isRepeatable(List<Completion> group) {
        if (group.size() == 1) {
            return true;
        }
        boolean allDone = group.stream().allMatch(completion -> completion.outcome() instanceof Outcome.Done);
        return allDone && group.stream().mapToInt(this::attempts).distinct().count() == 1;
    }

    private int attempts(Completion completion) {
        Held held = leases.held(completion.eventId());
        return held == null ? UNLEASED : held.attempts();
    }

    @Override
    public Set<String> write(Connection conn, List<Completion> group) {
        List<Held> done = new ArrayList<>(group.size());
        List<HeldRetry> retries = new ArrayList<>();
        List<HeldDead> dead = new ArrayList<>();
        List<Completion> others = new ArrayList<>();
        for (Completion completion : group) {
            Held held = leases.held(completion.eventId());
            if (held == null) {
                others.add(completion);
            } else if (completion.outcome() instanceof Outcome.Retry retry) {
                retries.add(new HeldRetry(held, retry.delay(), retry.error()));
            } else if (completion.outcome() instanceof Outcome.Dead end) {
                dead.add(new HeldDead(held, end.error(), end.holdsKey()));
            } else {
                done.add(held);
            }
        }
        Set<String> late = new HashSet<>();
        if (!done.isEmpty()) {
            late.addAll(writeDone(conn, done));
        }
        if (!retries.isEmpty()) {
            late.addAll(store.markRetry(conn, leases.ownerId(), retries));
        }
        if (!dead.isEmpty()) {
            late.addAll(store.markDead(conn, leases.ownerId(), dead));
        }
        if (!others.isEmpty()) {
            late.addAll(unleased.write(conn, others));
        }
        return late;
    }

    private Set<String> writeDone(Connection conn, List<Held> done) {
        return mode == CompletionMode.DELETE
                ? store.delete(conn, leases.ownerId(), done)
                : store.markDone(conn, leases.ownerId(), done);
    }
}
