package outbox.dispatch;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import outbox.model.OutboxEvent;
import outbox.poller.PollLink;
import outbox.poller.PollTrigger;
import outbox.spi.MetricsExporter;

/** What one poller tells the flow of events, and what it hears from it. */
final class DispatcherPollLink implements PollLink {

    private final EventFlow flow;
    private final LeaseKeeper keeper;
    private final EventDelivery delivery;
    private @Nullable PollPass pass;
    private Collection<String> ahead = List.of();
    private boolean claiming;
    private MetricsExporter pollersOwn = MetricsExporter.NOOP;

    DispatcherPollLink(EventFlow flow, LeaseKeeper keeper, EventDelivery delivery) {
        this.flow = flow;
        this.keeper = keeper;
        this.delivery = delivery;
    }

    boolean take(QueuedEvent event) {
        PollPass open = pass;
        if (open == null) {
            return flow.intake().cold(event);
        }
        int before = open.enteredCount();
        boolean taken = claiming ? open.claimed(event, ahead) : open.found(event);
        // One that was on its way already is taken as well, and not counted again.
        if (taken && open.enteredCount() > before) {
            pollersOwn.incrementColdEnqueued();
        }
        return taken;
    }

    @Override
    public boolean isOrdered() {
        return flow.isOrdered();
    }

    /** A claim in order is always one with leases. */
    @Override
    public void nextComesBehind(Collection<String> others) {
        claiming = true;
        ahead = others;
    }

    @Override
    public boolean holdsKeyWhenDead(OutboxEvent event) {
        return delivery.holdsKeyWhenDead(event);
    }

    /** The dispatcher counts with its own exporter; a poller that was given another one has what it found counted there as well. */
    @Override
    public boolean countsEnqueued(MetricsExporter metrics) {
        pollersOwn = flow.countingBeside(metrics);
        return true;
    }

    @Override
    public void pollStarting() {
        pollFinished();
        pass = flow.beginPoll();
    }

    @Override
    public void pollFinished() {
        if (pass != null) {
            pass.end();
            pass = null;
        }
        ahead = List.of();
    }

    @Override
    public void rowsDidNotFit() {
        flow.rowsDidNotFit();
    }

    @Override
    public String claimsAs(String ownerId, Duration timeout) {
        claiming = true;
        return keeper.begin(ownerId, timeout, flow.isClosed());
    }

    @Override
    public void deliverOnlyWhile(BooleanSupplier active) {
        flow.hotPath().goOnlyWhile(active);
    }

    @Override
    public void connect(PollTrigger trigger) {
        flow.connect(trigger);
    }

    @Override
    public void pollWhenRoomFor(int events) {
        flow.pollWhenRoomFor(events);
    }

    @Override
    public void pollWhenEnded() {
        if (pass != null) {
            pass.pollWhenEnded();
        }
    }
}
