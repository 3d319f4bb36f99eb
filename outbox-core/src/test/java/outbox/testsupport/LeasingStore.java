package outbox.testsupport;

import java.time.Clock;
import java.util.List;
import outbox.spi.LeaseStore;

/** An in-memory table with leases, whose clock stands in for that of the database. */
public class LeasingStore extends RecordingStore {

    final RecordingLeases leases;

    public LeasingStore(Clock clock) {
        this.leases = new RecordingLeases(this, clock);
    }

    @Override
    public final LeaseStore leases() {
        return leases;
    }

    /** Waits for the next call that renews leases, after it was answered, and returns it. */
    public final String nextRenewal() throws InterruptedException {
        return leases.nextRenewal();
    }

    /** Lets another process take over the event, as if its lease had expired. */
    public final void takeOver(String id, String ownerId) {
        leases.takeOver(id, ownerId);
    }

    /** Locks the row of an event, as the recording of its outcome does. */
    public final void lockRow(String id) {
        leases.lockRow(id);
    }

    /** Ends such a lock. */
    public final void unlockRow(String id) {
        leases.unlockRow(id);
    }

    /** The calls that are about leases, in order. */
    public final List<String> leaseCalls() {
        return calls().stream().filter(call -> call.startsWith("lease.")).toList();
    }
}
