package outbox.internal.lease;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.internal.lease.LeaseBook.Terms;
import outbox.internal.task.LastWork;
import outbox.internal.task.PeriodicTask;
import outbox.internal.task.ThreadNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.text.StoredText;
import outbox.internal.transaction.ShortTransaction;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.Begun;

/**
 * Keeps the table in step with a {@link LeaseBook}, on a thread of its own: renews leases, releases what was given back. Thread-safe.
 */
public final class LeaseKeeper {

    private static final Logger LOG = SafeLog.of(LeaseKeeper.class);

    /** How long the close waits for the database to free what this process has leased and not begun. */
    private static final Duration LEASES_END_WITHIN = Duration.ofSeconds(4);

    private static final int GROUP_SIZE = 500;
    private static final int RENEWALS_PER_LEASE = 8;
    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(1);

    /** Who delivers what is leased. */
    public interface Holder {

        /** Whether what is leased can be delivered and recorded. */
        boolean canWork();

        /** Whether what waits can be begun before long. */
        boolean canBegin();

        /** The ids of events whose leases had expired before they were committed. */
        Collection<String> overdue();

        /** As much as could be renewed of these events is renewed. */
        void overdueRenewed(Collection<String> eventIds);

        /** Lets go of what waits: who cannot deliver, or cannot record, keeps nobody else from it. Returns how much that was. */
        int discardWaiting();
    }

    private final LeaseBook book;
    private final LeaseStore store;
    private final ConnectionProvider connections;
    private final Holder holder;
    private final PeriodicTask schedule;

    /** @param table for the name of the thread; null if unknown */
    public LeaseKeeper(
            LeaseBook book, LeaseStore store, ConnectionProvider connections, @Nullable String table, Holder holder) {
        this.book = book;
        this.store = store;
        this.connections = connections;
        this.holder = holder;
        this.schedule = new PeriodicTask(
                "Renewal of leases", ThreadNames.prefix("leases", table), this::interval, this::keepLeases);
    }

    /**
     * Turns leases on and begins to keep them.
     *
     * @return the name under which to claim: the given one, or that of the first call
     */
    public String begin(String ownerId, Duration timeout) {
        String name = book.begin(ownerId, timeout);
        if (!schedule.isClosed()) {
            schedule.start();
        }
        return name;
    }

    /** How often leases are looked at: so that a few renewals may fail before a lease expires. */
    Duration interval() {
        Terms now = book.terms();
        if (now == null) {
            return Duration.ofSeconds(1);
        }
        Duration interval = now.timeout().dividedBy(RENEWALS_PER_LEASE);
        return interval.compareTo(SHORTEST_INTERVAL) < 0 ? SHORTEST_INTERVAL : interval;
    }

    void keepLeases() {
        if (holder.canWork()) {
            renewOverdue();
            renew();
        }
        if (!holder.canBegin()) {
            holder.discardWaiting();
        }
        releaseGivenBack(); // the poller does it as well, but not while its queue is full
    }

    /** Renews what is due. */
    void renew() {
        Terms now = book.terms();
        if (now != null) {
            groups(due(now)).forEach(group -> renew(now, group));
        }
    }

    /** What has been held for a quarter of the time and more. Events that are delivered at once are never renewed. */
    private List<Lease> due(Terms now) {
        long dueFrom = book.now() + now.timeout().toNanos() / 4 * 3;
        return book.all().stream()
                .filter(lease -> lease.committed && !lease.lost && lease.until - dueFrom <= 0)
                .toList();
    }

    /** One that was claimed again meanwhile is not meant by the answer. */
    private void renew(Terms now, List<Lease> group) {
        List<String> ids = group.stream().map(lease -> lease.eventId).toList();
        int[] claimedAgain =
                group.stream().mapToInt(lease -> lease.claimedAgain.get()).toArray();
        long since = book.now();
        Renewal result;
        try {
            result = ShortTransaction.run(connections, conn -> renew(conn, now.ownerId(), ids));
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.WARNING, "Cannot renew " + group.size() + " lease(s), trying again soon", LoggedError.of(e));
            return;
        }
        for (int i = 0; i < group.size(); i++) {
            Lease lease = group.get(i);
            if (result.renewed.contains(lease.eventId)) {
                lease.until = since + now.timeout().toNanos();
            } else if (!result.leftOut.contains(lease.eventId) && lease.claimedAgain.get() == claimedAgain[i]) {
                // It may as well have ended a moment ago; then it is forgotten as soon as that is reported.
                lease.lost = true;
                LOG.log(Level.DEBUG, "The lease of event {0} is not ours any more", lease.eventId);
            }
        }
    }

    /**
     * What became of leases that were to be renewed; the others are lost.
     *
     * @param leftOut those whose rows are locked, most often because this process is recording their outcome; as old as they were
     */
    private record Renewal(Set<String> renewed, Set<String> leftOut) {}

    private Renewal renew(Connection conn, String ownerId, List<String> ids) {
        Set<String> renewed = store.renew(conn, ownerId, ids);
        if (renewed.size() == ids.size()) {
            return new Renewal(renewed, Set.of());
        }
        List<String> others = ids.stream().filter(id -> !renewed.contains(id)).toList();
        return new Renewal(renewed, store.stillHeld(conn, ownerId, others));
    }

    /** Lets others take what was given back. What cannot be released now is tried again the next time. */
    public void releaseGivenBack() {
        GivenBack rows = book.givenBack();
        rows.release(() -> groups(rows.take(book::isHeld)).forEach(this::release));
    }

    private void release(List<GivenBack.Row> group) {
        try {
            ShortTransaction.run(connections, conn -> release(conn, book.ownerId(), group));
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.WARNING, group.size() + " lease(s) could not be given back yet", LoggedError.of(e));
            book.givenBack().putBack(group);
        }
    }

    private int release(Connection conn, String ownerId, List<GivenBack.Row> group) {
        List<String> plain = new ArrayList<>();
        for (GivenBack.Row row : group) {
            Begun writtenDown = row.writtenDown();
            if (writtenDown == null) {
                plain.add(row.eventId());
            } else {
                store.takeBack(conn, ownerId, writtenDown);
            }
        }
        return plain.isEmpty() ? 0 : store.release(conn, ownerId, plain);
    }

    /**
     * Writes down that the delivery of a suspect begins, so that the next owner knows should this process end meanwhile. Returns false if that
     * cannot be done now, or the event is not ours any more: it must not be delivered then.
     *
     * @param attempts how many deliveries had been begun before
     */
    public boolean writeDown(String eventId, int attempts) {
        Begun begun = book.beginSuspect(eventId, attempts);
        if (begun == null) {
            return false;
        }
        try {
            return ShortTransaction.run(connections, conn -> store.writeDown(conn, book.ownerId(), begun));
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "Cannot write down that event " + StoredText.inOneLine(eventId)
                            + " is delivered after its lease had expired; it waits",
                    LoggedError.of(e));
            return false;
        }
    }

    /** Soon looks after leases, and after those that their holder calls overdue first of all. */
    public void renewSoon() {
        schedule.runSoon();
    }

    /** A transaction that was open for longer than a lease has committed. What nobody else has taken meanwhile is still ours. */
    void renewOverdue() {
        Terms now = book.terms();
        Collection<String> overdue = holder.overdue();
        if (now != null && !overdue.isEmpty()) {
            Set<String> ids = Set.copyOf(overdue);
            List<Lease> leases = book.all().stream()
                    .filter(lease -> ids.contains(lease.eventId))
                    .toList();
            groups(leases).forEach(group -> renew(now, group));
            holder.overdueRenewed(overdue);
        }
    }

    private static <T> List<List<T>> groups(List<T> all) {
        List<List<T>> groups = new ArrayList<>();
        for (int from = 0; from < all.size(); from += GROUP_SIZE) {
            groups.add(all.subList(from, Math.min(all.size(), from + GROUP_SIZE)));
        }
        return groups;
    }

    /** What keeps it from its work, in words; null if nothing does. */
    public @Nullable String problem() {
        return schedule.problem();
    }

    /** Frees what was not begun. What still runs is left to expire. */
    public void close() {
        schedule.close();
        giveBackWhatWaits();
        book.close(this::releaseGivenBack);
        if (book.isOn()) {
            LastWork.within(LEASES_END_WITHIN, "The return of leases", this::releaseGivenBack);
        }
    }

    /** What still runs is left to expire. */
    void giveBackWhatWaits() {
        for (Lease lease : book.all()) {
            if (lease.committed && !lease.started) {
                book.giveBack(lease.eventId);
            }
        }
    }
}
