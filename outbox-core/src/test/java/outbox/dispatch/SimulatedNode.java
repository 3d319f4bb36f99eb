package outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import outbox.EventEnvelope;
import outbox.internal.lease.TestLeases;
import outbox.internal.outcome.Completion;
import outbox.internal.outcome.CompletionWriter;
import outbox.internal.outcome.Completions;
import outbox.internal.outcome.StoreMarks;
import outbox.internal.outcome.Verdict;
import outbox.internal.queue.FairQueue;
import outbox.internal.queue.Lanes;
import outbox.poller.OutboxPoller;
import outbox.poller.OutboxPollerHandler;
import outbox.poller.PollLink;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.LeaseStore.Suspicion;
import outbox.spi.MetricsExporter;
import outbox.spi.OrderedStore.AggregateKey;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.OrderedTable;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process whose threads are played by the test, one step at a time. Its writers, poller, queues, lanes and leases are the real ones; the
 * steps of a worker and of the recorder are taken by hand, so that anything may happen between two of them.
 */
final class SimulatedNode {

    static final Duration TIMEOUT = Duration.ofSeconds(40);

    private final OrderedTable table;
    private final OutboxDispatcher dispatcher;
    private final DispatcherWriterHook hook;
    private final OutboxPoller poller;
    private final EventFlow flow;
    private final FairQueue<QueuedEvent> queue;
    private final Lanes<AggregateKey, QueuedEvent> lanes;
    private final StoreMarks marks;
    private final CompletionReport report;
    private final Set<String> inFlight = new HashSet<>();
    private final List<List<EventEnvelope>> committed = new ArrayList<>();
    private final List<QueuedEvent> taken = new ArrayList<>();
    private final List<QueuedEvent> running = new ArrayList<>();
    private final List<Completion> ended = new ArrayList<>();
    private final List<Completion> written = new ArrayList<>();
    private final List<Completion> late = new ArrayList<>();
    private boolean closed;

    SimulatedNode(String name, OrderedTable table, ManualClock clock, ManualNanos nanos, int capacity) {
        this.table = table;
        this.dispatcher = OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(table)
                .listenerRegistry(new DefaultListenerRegistry())
                .ordering(Ordering.PER_AGGREGATE)
                .inFlightTracker(tracker())
                .hotQueueCapacity(capacity)
                .coldQueueCapacity(capacity)
                .workerCount(0)
                .clock(clock)
                .nanoTime(nanos)
                .build();
        this.hook = new DispatcherWriterHook(dispatcher);
        this.flow = dispatcher.flow();
        this.queue = flow.parts().queues().queue();
        this.lanes = flow.parts().queues().lanes();
        this.marks = new StoreMarks(table, flow.parts().leases()::ownerId, false, CompletionWriter.TIME_LIMIT);
        this.report = new CompletionReport(flow, MetricsExporter.NOOP);
        this.poller = OutboxPoller.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(table)
                .handler(new WithoutRenewals(dispatcher, new DispatcherPollerHandler(dispatcher)))
                .claimLocking(name, TIMEOUT)
                .batchSize(capacity + 2)
                .clock(clock)
                .build();
    }

    private InFlightTracker tracker() {
        return new InFlightTracker() {

            @Override
            public boolean tryAcquire(String eventId) {
                return inFlight.add(eventId);
            }

            @Override
            public void release(String eventId) {
                if (!inFlight.remove(eventId)) {
                    throw new AssertionError(eventId + " is released twice");
                }
            }
        };
    }

    /** Passes on all but the name, which would start the thread that renews leases. */
    private record WithoutRenewals(OutboxDispatcher dispatcher, DispatcherPollerHandler handler)
            implements OutboxPollerHandler, PollLink {

        @Override
        public PollLink link() {
            return this;
        }

        @Override
        public String claimsAs(String ownerId, Duration timeout) {
            TestLeases.begin(dispatcher.flow().parts().leases(), ownerId, timeout);
            return ownerId;
        }

        @Override
        public boolean handle(EventEnvelope event, int attempts) {
            return handler.handle(event, attempts);
        }

        @Override
        public void nextIsLeased(Collection<String> ahead, Suspicion suspicion) {
            handler.link().nextIsLeased(ahead, suspicion);
        }

        @Override
        public boolean isOrdered() {
            return handler.link().isOrdered();
        }

        @Override
        public int availableCapacity() {
            return handler.availableCapacity();
        }

        @Override
        public void pollStarting() {
            handler.link().pollStarting();
        }

        @Override
        public void pollFinished() {
            handler.link().pollFinished();
        }
    }

    void write(List<EventEnvelope> events, boolean rollBack) {
        hook.insert(table, null, events);
        hook.afterWrite(events);
        if (rollBack) {
            events.forEach(event -> table.remove(event.eventId()));
            hook.afterRollback(events);
        } else {
            committed.add(events);
        }
    }

    /** The writer's thread comes back from its commit. */
    void tellCommitted(Random random) {
        if (!committed.isEmpty()) {
            hook.afterCommit(any(committed, random));
        }
    }

    void poll() {
        poller.poll();
    }

    void renewOverdue() {
        TestLeases.renewOverdue(flow.parts().leases(), table.leases(), new FlowHolder(flow, () -> true));
    }

    void renew() {
        renewOverdue();
        TestLeases.renew(flow.parts().leases(), table.leases());
    }

    /** A worker takes an event, which must be the only one of its key. */
    void take() throws InterruptedException {
        if (queue.hot().size() + queue.cold().size() > 0) {
            QueuedEvent event = queue.take();
            assertThat(keysAtWork()).doesNotContain(event.envelope().aggregateId());
            taken.add(event);
        }
    }

    /** A worker begins a delivery; nothing that comes before the event in order may be unfinished then. */
    void begin(Random random) {
        if (taken.isEmpty()) {
            return;
        }
        QueuedEvent event = any(taken, random);
        String id = event.envelope().eventId();
        if (flow.begin(event)) {
            assertThat(table.hasUnfinishedBefore(id)).as("%s overtakes", id).isFalse();
            assertThat(table.isUnfinished(id)).as("%s is to be delivered", id).isTrue();
            running.add(event);
        } else {
            giveBack(event);
        }
    }

    /** A listener ends; null stands for a worker that was stopped. */
    void end(Random random, Verdict outcome) {
        if (running.isEmpty()) {
            return;
        }
        QueuedEvent event = any(running, random);
        if (outcome == null) {
            giveBack(event);
        } else {
            ended.add(Completions.of(event, outcome).under(flow.holdOn(event)));
        }
    }

    private void giveBack(QueuedEvent event) {
        flow.letGo(event);
    }

    /** What came too late is told at once: it must not be claimed again in between. */
    void writeOutcome(Random random) {
        if (ended.isEmpty()) {
            return;
        }
        Completion completion = any(ended, random);
        if (marks.write(null, List.of(completion)).isEmpty()) {
            written.add(completion);
        } else {
            late.add(completion);
        }
    }

    void giveUpOutcome(Random random) {
        if (!ended.isEmpty()) {
            report.givenUp(any(ended, random));
        }
    }

    void reportOutcome(Random random) {
        if (!written.isEmpty()) {
            report.recorded(any(written, random));
        }
        if (!late.isEmpty()) {
            report.tooLate(any(late, random));
        }
    }

    /** Nobody is held up for longer than a lease between a change of the table and the word of it. */
    void tellAll(Random random) {
        while (!committed.isEmpty()) {
            tellCommitted(random);
        }
        while (!written.isEmpty() || !late.isEmpty()) {
            reportOutcome(random);
        }
    }

    /** Before that a worker ends what it has taken; what it delivers may take longer. */
    void close(Random random) {
        while (!taken.isEmpty()) {
            begin(random);
        }
        closed = true;
        poller.close();
        dispatcher.close();
    }

    boolean isIdle() {
        return lanes.size() == 0
                && committed.isEmpty()
                && flow.hotPath().overdue().isEmpty();
    }

    boolean isClosed() {
        return closed;
    }

    /** Each lane has exactly one event that is queued or at work. Asked so often that it must be quick. */
    void check() {
        List<String> atWork = keysAtWork();
        int busy = queue.hot().size() + queue.cold().size() + atWork.size();
        if (busy != lanes.size() || new HashSet<>(atWork).size() != atWork.size()) {
            throw new AssertionError(lanes.size() + " lanes, but " + busy + " busy ones; at work: " + atWork);
        }
    }

    private List<String> keysAtWork() {
        List<String> atWork = new ArrayList<>();
        taken.forEach(event -> atWork.add(event.envelope().aggregateId()));
        running.forEach(event -> atWork.add(event.envelope().aggregateId()));
        ended.forEach(completion -> atWork.add(completion.aggregateId()));
        written.forEach(completion -> atWork.add(completion.aggregateId()));
        late.forEach(completion -> atWork.add(completion.aggregateId()));
        return atWork;
    }

    void checkNothingIsLeft() {
        assertThat(lanes.size()).as("lanes").isZero();
        assertThat(lanes.waiting(true)).as("waiting").isZero();
        assertThat(lanes.waiting(false)).as("waiting").isZero();
        assertThat(inFlight).as("in flight").isEmpty();
        assertThat(dispatcher.flow().parts().intake().announcedCount())
                .as("announced")
                .isZero();
        assertThat(flow.parts().leases().heldCount()).as("held").isZero();
    }

    private static <T> T any(List<T> things, Random random) {
        return things.remove(random.nextInt(things.size()));
    }
}
