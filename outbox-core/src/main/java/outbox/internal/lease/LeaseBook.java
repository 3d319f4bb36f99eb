package outbox.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.outcome.Hold;
import outbox.spi.LeaseStore.Begun;
import outbox.spi.LeaseStore.Suspicion;

/**
 * What this process holds in a table that it shares with others: for each event that is being written, waits or runs here, until when it
 * is certainly ours. Off until a poller says under which name it claims; as long as it is off, nothing is held and nothing is lost. Memory
 * only: {@link LeaseKeeper} keeps the table in step. Thread-safe.
 *
 * <p>The time that counts is the database's, which cannot be asked for each event. So the end of a lease is reckoned here, from the
 * moment before the statement that took it was sent, by a clock that nobody can set: it comes too early rather than too late.
 *
 * <p>An outcome belongs to the lease under which its delivery began. Claiming again what is still in the book makes that lease last longer.
 */
public final class LeaseBook {

    /** Under which name and for how long events are held. */
    record Terms(String ownerId, Duration timeout) {}

    private final LongSupplier nanoTime;
    private final ConcurrentMap<String, Lease> leases = new ConcurrentHashMap<>();
    private final Collection<LeasesEnded> watching = new CopyOnWriteArrayList<>();
    private final GivenBack givenBack = new GivenBack();
    private final SuspectsAtLarge atLarge;
    private volatile @Nullable Terms terms;
    private volatile boolean closed;

    /** One that shares a process with all others. */
    public LeaseBook(LongSupplier nanoTime) {
        this(nanoTime, SuspectsAtLarge.OF_PROCESS);
    }

    LeaseBook(LongSupplier nanoTime, SuspectsAtLarge atLarge) {
        this.nanoTime = nanoTime;
        this.atLarge = atLarge;
    }

    /** Turns leases on. Returns the name under which to claim: the given one, or that of the first call. */
    public synchronized String begin(String ownerId, Duration timeout) {
        Terms before = terms == null ? new Terms(ownerId, timeout) : terms;
        terms = new Terms(before.ownerId, before.timeout.compareTo(timeout) < 0 ? before.timeout : timeout);
        return before.ownerId;
    }

    public boolean isOn() {
        return terms != null;
    }

    /** Under which name and for how long; null while leases are off. */
    @Nullable
    Terms terms() {
        return terms;
    }

    /** Under which name events are leased; asked only if one is. */
    public String ownerId() {
        return required().ownerId;
    }

    /** The time by which leases are reckoned. */
    public long now() {
        return nanoTime.getAsLong();
    }

    /** Whether events can be inserted as ours. */
    public boolean canInsert() {
        return terms != null && !closed;
    }

    /**
     * Says that an event was inserted as ours by a statement that was sent after the given time.
     *
     * @param turnKnown false if the table must be asked whether all before it in order have ended
     */
    public void inserted(String eventId, long sinceNanos, boolean turnKnown) {
        leases.put(eventId, new Lease(this, eventId, null, endOf(sinceNanos), turnKnown));
    }

    /**
     * As {@link #inserted}, for an event of which nothing was said before its commit was seen. A claim that was quicker stands. Returns false, and
     * takes nothing in, if a lease of the event has ended since the table was asked: then its row is not what it was.
     */
    public boolean found(String eventId, InsertedLease inserted, LeasesEnded sinceAsked) {
        Lease found = new Lease(this, eventId, null, endOf(inserted.sinceNanos()), inserted.turnKnown());
        boolean added = leases.putIfAbsent(eventId, found) == null;
        // In this order: one that ends later was in the book until now, and nothing was added.
        if (!sinceAsked.contains(eventId)) {
            return true;
        }
        if (added) {
            leases.remove(eventId, found);
        }
        return false;
    }

    /** Notes which leases end from now on until the notes are closed. */
    public LeasesEnded watchEnds() {
        return new LeasesEnded(watching);
    }

    /** When a lease ends that was taken by a statement which was sent after the given time. */
    public long endOf(long sinceNanos) {
        return sinceNanos + required().timeout.toNanos();
    }

    /** Says that the event was committed. Returns whether it is certainly ours. */
    public boolean committed(String eventId) {
        Lease lease = leases.get(eventId);
        if (lease == null) {
            return false;
        }
        lease.committed = true;
        return isCertain(lease);
    }

    /** Says that an event, which is about to be queued, was claimed by a statement that was sent after the given time. */
    public void claimed(String eventId, @Nullable Suspicion suspicion, long sinceNanos, boolean turnKnown) {
        Terms now = terms;
        if (now != null) {
            Lease lease = new Lease(this, eventId, suspicion, sinceNanos + now.timeout.toNanos(), turnKnown);
            lease.committed = true;
            leases.put(eventId, lease);
        }
    }

    /** Says when a committed event was created. */
    public void createdAt(String eventId, Instant createdAt) {
        Lease lease = leases.get(eventId);
        if (lease != null) {
            lease.createdAtMs = createdAt.toEpochMilli();
        }
    }

    /** Says that all that must end before the event have ended, or are in line before it. */
    public void turnIsKnown(String eventId) {
        Lease lease = leases.get(eventId);
        if (lease != null) {
            lease.turnKnown = true;
        }
    }

    /** Whether the table must be asked if it is the event's turn. */
    public boolean isTurnUnknown(String eventId) {
        Lease lease = leases.get(eventId);
        return lease != null && !lease.turnKnown;
    }

    /**
     * Says that an event, which is still on its way here, was claimed again: its lease had expired and nobody else was quicker. So its
     * outcome will count after all. If that outcome was recorded a moment ago, nobody here will deliver what was claimed, and it is given
     * back.
     */
    public void claimedAgain(String eventId, long sinceNanos) {
        Terms now = terms;
        if (now == null) {
            return;
        }
        Lease current = leases.computeIfPresent(eventId, (id, lease) -> {
            lease.until = sinceNanos + now.timeout.toNanos();
            lease.committed = true;
            lease.lost = false;
            lease.claimedAgain.incrementAndGet();
            return lease;
        });
        if (current == null) {
            givenBack.add(new GivenBack.Row(eventId, null));
        }
    }

    /** Says that the event is about to be delivered. Returns false if it may belong to somebody else by now. */
    public boolean start(String eventId) {
        Lease lease = leases.get(eventId);
        if (lease == null) {
            return !isOn() || !closed; // was never leased, or given back by the close
        }
        lease.started = true;
        return isCertain(lease);
    }

    boolean isCertain(Lease lease) {
        return !lease.lost && lease.until - now() > 0;
    }

    /** The right under which a delivery of the event begins; null if it was never leased. */
    public @Nullable Hold holdOn(String eventId) {
        return leases.get(eventId);
    }

    boolean isCurrent(Lease lease) {
        return leases.get(lease.eventId) == lease;
    }

    public boolean isHeld(String eventId) {
        return leases.containsKey(eventId);
    }

    /** Why the event is suspected of ending its process; null if it is not. */
    public @Nullable Suspicion suspicionOf(String eventId) {
        Lease lease = leases.get(eventId);
        return lease == null ? null : lease.suspicion;
    }

    /**
     * Asks for leave to write down that a suspect's delivery begins, after the given number of others; returns what to write down, or null if it
     * must wait, see {@link #waitForOthers}. One whose last delivery ended its process gets leave only while no other suspect is under way in the
     * process, so that it harms none of them.
     */
    @Nullable
    Begun beginSuspect(String eventId, int attempts) {
        Lease lease = leases.get(eventId);
        Suspicion suspicion = lease == null ? null : lease.suspicion;
        if (lease == null || suspicion == null) {
            return null;
        }
        lease.wait = atLarge.enter(this, eventId, suspicion.crashes());
        if (lease.wait != null) {
            return null;
        }
        lease.writtenDown = new Begun(eventId, attempts, suspicion.crashes());
        return lease.writtenDown;
    }

    /** For how long a suspect is to wait that got no leave; null if that was not because of others. */
    public @Nullable Duration waitForOthers(String eventId) {
        Lease lease = leases.get(eventId);
        return lease == null ? null : lease.wait;
    }

    /** How many events are held. */
    public int heldCount() {
        return leases.size();
    }

    private @Nullable Lease remove(String eventId) {
        watching.forEach(notes -> notes.note(eventId)); // before it is out of the book
        Lease lease = leases.remove(eventId);
        if (lease != null && lease.suspicion != null) {
            atLarge.leave(this, eventId);
        }
        return lease;
    }

    /** Says that the event belongs to somebody else, or is given back by somebody else. */
    public void forget(String eventId) {
        remove(eventId);
    }

    /**
     * Says that the event was never committed, or that nobody knows. Returns how it had been inserted; null if not as ours, or if a claim has found it
     * meanwhile: that one was committed, and stays.
     */
    public @Nullable InsertedLease rolledBack(String eventId) {
        AtomicReference<@Nullable InsertedLease> left = new AtomicReference<>();
        leases.computeIfPresent(eventId, (id, lease) -> {
            if (lease.committed) {
                return lease;
            }
            left.set(new InsertedLease(lease.until - required().timeout.toNanos(), lease.turnKnown));
            return null;
        });
        return left.get();
    }

    /**
     * Says that the outcome of a delivery was recorded. The event may have been claimed again before this was said, if it was due at once;
     * nobody here will deliver it, so it is given back. Returns whether the event was leased.
     *
     * @param hold under which the delivery began
     */
    public boolean ended(String eventId, @Nullable Hold hold) {
        Lease lease = hold == null || !hold.isCurrent() ? null : remove(eventId);
        if (lease != null && lease.claimedAgain.get() > 0) {
            givenBack.add(new GivenBack.Row(eventId, null));
        }
        return lease != null;
    }

    /** Says that the event will not be delivered here; its row is released by {@link LeaseKeeper#releaseGivenBack()}. */
    public void giveBack(String eventId) {
        Lease lease = remove(eventId);
        if (lease != null) {
            givenBack.add(new GivenBack.Row(eventId, lease.writtenDown));
        }
    }

    public GivenBack givenBack() {
        return givenBack;
    }

    /** All that is held. */
    Collection<Lease> all() {
        return leases.values();
    }

    /** From now on nothing is inserted as ours, and what is given back is released at once. */
    void close(Runnable release) {
        givenBack.close(release);
        closed = true;
    }

    private Terms required() {
        Terms now = terms;
        if (now == null) {
            throw new IllegalStateException("Leases are off");
        }
        return now;
    }
}
