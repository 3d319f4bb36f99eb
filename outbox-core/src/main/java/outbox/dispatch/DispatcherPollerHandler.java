package outbox.dispatch;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import outbox.AggregateType;
import outbox.DeadEvent;
import outbox.EventEnvelope;
import outbox.internal.lease.OldestHeld;
import outbox.model.EventRoute;
import outbox.model.NodeMode;
import outbox.model.OutboxEvent;
import outbox.poller.OutboxPollerHandler;
import outbox.poller.PollLink;
import outbox.poller.PollTrigger;
import outbox.spi.LeaseStore.Suspicion;
import outbox.spi.MetricsExporter;
import outbox.spi.OrderedStore.AggregateKey;

/**
 * The cold path: puts what one poller finds into the dispatcher's cold queue, as far as there is room. Give each poller a handler
 * of its own.
 */
public final class DispatcherPollerHandler implements OutboxPollerHandler {

    private final OutboxDispatcher dispatcher;
    private final EventFlow flow;
    private final Listeners listeners;
    private final Link link;

    /** Feeds the given dispatcher. */
    public DispatcherPollerHandler(OutboxDispatcher dispatcher) {
        this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
        this.flow = dispatcher.flow();
        this.listeners = dispatcher.listeners();
        this.link = new Link();
    }

    @Override
    public boolean handle(EventEnvelope event, int attempts) {
        return link.take(new QueuedEvent(event, QueuedEvent.Source.COLD, attempts));
    }

    /** As many rows as have room if all are as large as the largest one lately. */
    @Override
    public int availableCapacity() {
        return flow.claimable();
    }

    @Override
    public PollLink link() {
        return link;
    }

    /** What the poller tells the flow of events, and what it hears from it. */
    private final class Link implements PollLink {

        private final OldestHeld oldest = new OldestHeld(flow.parts().leases());
        private @Nullable PollPass poll;
        private Collection<String> ahead = List.of();
        private @Nullable Suspicion suspicion;
        private boolean claiming;
        private Set<EventRoute> leftOut = Set.of();
        private MetricsExporter pollersOwn = MetricsExporter.NOOP;

        private boolean take(QueuedEvent event) {
            PollPass open = poll;
            if (open == null) {
                return flow.intake().cold(event);
            }
            int before = open.enteredCount();
            boolean taken = claiming ? open.claimed(event, ahead, suspicion) : open.found(event);
            if (taken && listeners.waiting() != null) {
                listeners
                        .waiting()
                        .keyGoesOn(AggregateKey.of(
                                event.envelope().aggregateType(),
                                event.envelope().aggregateId()));
            }
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

        @Override
        public void nextIsLeased(Collection<String> others, @Nullable Suspicion heldAgainstIt) {
            claiming = true;
            ahead = others;
            suspicion = heldAgainstIt;
        }

        @Override
        public void leftInTable(Collection<AggregateKey> keys) {
            flow.parts().queues().keysLeft().leftInTable(keys);
        }

        @Override
        public Collection<AggregateKey> keysToContinue() {
            return flow.parts().queues().keysLeft().takeWanted();
        }

        @Override
        public Set<EventRoute> leftOut() {
            WaitingRoutes waiting = listeners.waiting();
            leftOut = waiting == null ? Set.of() : waiting.look();
            return leftOut;
        }

        @Override
        public boolean someGoOn() {
            WaitingRoutes waiting = listeners.waiting();
            return waiting != null && waiting.someGoOn();
        }

        /** An event without a type cannot be decoded, which is dealt with elsewhere. */
        @Override
        public Reception receptionOf(OutboxEvent row) {
            String aggregateType = row.aggregateType() == null ? AggregateType.GLOBAL.name() : row.aggregateType();
            if (row.eventType() == null
                    || row.eventType().isEmpty()
                    || !listeners.waits(aggregateType, row.eventType())) {
                return Reception.TAKEN;
            }
            WaitingRoutes waiting = Objects.requireNonNull(listeners.waiting());
            if (flow.isOrdered()) {
                waiting.keyWaits(AggregateKey.of(aggregateType, row.aggregateId()));
            }
            EventRoute route = new EventRoute(aggregateType, row.eventType());
            boolean asked = leftOut.contains(route);
            return !asked && waiting.current().contains(route) ? Reception.LEFT_OUT : Reception.PUT_OFF;
        }

        @Override
        public void checkSchema(Connection conn) {
            dispatcher.checkCompaction(conn);
        }

        @Override
        public boolean tellsOfDead(OutboxEvent event) {
            return dispatcher.deaths().areTold(event.eventType());
        }

        @Override
        public void markedDead(Connection conn, OutboxEvent row, String error, boolean holdsKey) {
            dispatcher
                    .deaths()
                    .marked(
                            conn,
                            new DeadEvent(
                                    row.eventId(),
                                    row.eventType(),
                                    row.aggregateType(),
                                    row.aggregateId(),
                                    row.tenantId(),
                                    error,
                                    row.attempts(),
                                    holdsKey,
                                    dispatcher.deaths().now(),
                                    null));
            flow.comesAfter(Duration.ZERO); // this poll ends before the next one
        }

        @Override
        public boolean holdsKeyWhenDead(OutboxEvent event) {
            return listeners.holdKeyWhenDead(event);
        }

        /** The dispatcher counts with its own exporter; a poller that was given another one has what it found counted there as well. */
        @Override
        public boolean countsEnqueued(MetricsExporter metrics) {
            pollersOwn = flow.countingBeside(metrics);
            return true;
        }

        @Override
        public @Nullable Instant oldestHeld() {
            return oldest.createdAt();
        }

        @Override
        public void pollStarting() {
            pollFinished();
            listeners.tellFailures();
            flow.tellRefused();
            poll = flow.beginPoll();
        }

        @Override
        public void pollFinished() {
            if (poll != null) {
                poll.end();
                poll = null;
            }
            ahead = List.of();
            suspicion = null;
        }

        @Override
        public void rowsDidNotFit() {
            if (poll != null) {
                poll.rowsDidNotFit();
            }
        }

        @Override
        public String claimsAs(String ownerId, Duration timeout) {
            claiming = true;
            return dispatcher.claimsAs(ownerId, timeout);
        }

        @Override
        public boolean canWork() {
            return flow.canWork();
        }

        @Override
        public void deliversAs(NodeMode mode, String name) {
            dispatcher.deliversAs(mode, name);
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
            if (poll != null) {
                poll.pollWhenEnded();
            }
        }
    }
}
