package outbox.dispatch;

import java.util.Collection;
import java.util.function.BooleanSupplier;
import outbox.internal.lease.LeaseKeeper;

/**
 * What the keeper of leases asks of the flow of events.
 *
 * @param flow delivers what is leased
 * @param alive whether there are threads that deliver and record
 */
record FlowHolder(EventFlow flow, BooleanSupplier alive) implements LeaseKeeper.Holder {

    @Override
    public boolean canWork() {
        return alive.getAsBoolean();
    }

    @Override
    public boolean canBegin() {
        return flow.canWork();
    }

    @Override
    public Collection<String> overdue() {
        return flow.hotPath().overdue();
    }

    @Override
    public void overdueRenewed(Collection<String> eventIds) {
        flow.hotPath().overdueRenewed(eventIds);
    }

    @Override
    public int discardWaiting() {
        return flow.discardWaiting();
    }
}
