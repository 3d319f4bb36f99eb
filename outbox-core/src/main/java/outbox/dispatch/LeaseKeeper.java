package outbox.dispatch;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.internal.LastWork;
import outbox.internal.PeriodicTask;
import outbox.internal.ThreadNames;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;
import outbox.spi.OutboxStore;

/** Keeps what this process has leased, on a thread of its own: renews, gives back, shows the process in the register of nodes. */
final class LeaseKeeper {

    /** How long the close waits for the database to free what this process has leased and not begun. */
    private static final Duration LEASES_END_WITHIN = Duration.ofSeconds(4);

    /** Who has a part in it. */
    interface Holder {

        /** Whether what is leased can be delivered and recorded. */
        boolean canWork();

        /** Lets go of what waits: who cannot deliver, or cannot record, keeps nobody else from it. */
        void discardWaiting();
    }

    private final NodeLeases leases;
    private final Holder holder;
    private final @Nullable NodeHeartbeat heartbeat;
    private final PeriodicTask renewal;

    LeaseKeeper(NodeLeases leases, OutboxStore store, ConnectionProvider connections, Holder holder) {
        this.leases = leases;
        this.holder = holder;
        LeaseStore leaseStore = store.leases();
        this.heartbeat = leaseStore == null ? null : new NodeHeartbeat(leaseStore, connections, System::nanoTime);
        this.renewal = new PeriodicTask(
                "Renewal of leases",
                ThreadNames.prefix("leases", store.tableName()),
                leases::renewalInterval,
                this::keepLeases);
    }

    /** Turns leases on; see {@link NodeLeases#begin}. */
    String begin(String ownerId, Duration timeout, boolean closed) {
        String name = leases.begin(ownerId, timeout);
        if (leases.isOn() && !closed) {
            renewal.start();
        }
        return name;
    }

    private void keepLeases() {
        if (holder.canWork()) {
            leases.renew();
        } else {
            holder.discardWaiting();
        }
        leases.releaseGivenBack(); // the poller does it as well, but not while its queue is full
        if (heartbeat != null && leases.isOn()) {
            heartbeat.beat(leases.ownerId());
        }
    }

    /** What keeps it from its work, in words; null if nothing does. */
    @Nullable
    String problem() {
        return renewal.problem();
    }

    /** Frees what was not begun. What still runs is left to expire. */
    void close() {
        renewal.close();
        leases.close();
        if (leases.isOn()) {
            LastWork.within(LEASES_END_WITHIN, "The return of leases", this::endLeases);
        }
    }

    private void endLeases() {
        leases.releaseGivenBack();
        if (heartbeat != null) {
            heartbeat.end(leases.ownerId());
        }
    }
}
