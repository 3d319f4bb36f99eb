package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.WriterHook;
import outbox.internal.GuardedMetrics;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;

/**
 * The hot path: puts each committed event into the dispatcher's hot queue. An event that is refused stays NEW in the table, where
 * the poller finds it; that is logged (of many, one line a minute with their number) and counted, and never fails the writer.
 *
 * <p>A hook of your own that wraps this one must pass on all methods: {@code afterWrite} tells the dispatcher that the event is about
 * to come, so that it is not delivered twice if the poller finds it first.
 */
public final class DispatcherWriterHook implements WriterHook {

    private static final Logger LOG = SafeLog.of(DispatcherWriterHook.class);

    private final EventFlow flow;
    private final MetricsExporter metrics;
    private final MetricsExporter ownMetrics;

    /** Counts refused events with the dispatcher's own exporter. */
    public DispatcherWriterHook(OutboxDispatcher dispatcher) {
        this(dispatcher.flow(), dispatcher.flow().exporter());
    }

    /**
     * Counts refused events with the given exporter.
     *
     * @param metrics null for {@link MetricsExporter#NOOP}
     */
    public DispatcherWriterHook(OutboxDispatcher dispatcher, @Nullable MetricsExporter metrics) {
        this(Objects.requireNonNull(dispatcher, "dispatcher").flow(), metrics == null ? MetricsExporter.NOOP : metrics);
    }

    private DispatcherWriterHook(EventFlow flow, MetricsExporter metrics) {
        this.flow = flow;
        this.metrics = GuardedMetrics.of(metrics);
        this.ownMetrics = flow.countingBeside(metrics);
    }

    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        return flow.hotPath().prepare(events);
    }

    /** As many as the hot queue has room for belong to this process from the beginning; the others are free for whoever polls first. */
    @Override
    public void insert(OutboxStore store, Connection conn, List<EventEnvelope> events) {
        flow.hotPath().insert(store, conn, events);
    }

    /** As {@link #insert}, for those of the events whose id is not there yet. */
    @Override
    public List<WriteReceipt> insertOnce(
            OutboxStore store, Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        return flow.hotPath().insertOnce(store, conn, events, policy);
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
        flow.hotPath().inserted(events);
    }

    @Override
    public void afterRollback(List<EventEnvelope> events) {
        flow.hotPath().rolledBack(events);
    }

    /** Has the table asked for what is leased to this process, if a {@link JoinedEvents} does that; a poll finds the rest. */
    @Override
    public void afterUnknown(List<EventEnvelope> events) {
        flow.hotPath().unknown(events);
    }

    /** Whatever goes wrong with one event must not keep the others from the queue. */
    @Override
    public void afterCommit(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            try {
                committed(event);
            } catch (Throwable e) {
                LOG.log(Level.ERROR, "Cannot take an event over after its commit", LoggedError.of(e));
                letGo(event);
            }
        }
    }

    private void committed(EventEnvelope event) {
        metrics.eventWritten(event.eventType(), event.tenantId());
        flow.isCommitted(event);
        HotPath.Fate fate = flow.hotPath().committed(event);
        if (fate == HotPath.Fate.QUEUED) {
            ownMetrics.incrementHotEnqueued();
        } else if (fate == HotPath.Fate.REFUSED) {
            metrics.incrementHotDropped();
            flow.refused(event);
        }
    }

    /** A lease that is not renewed expires, should it not be possible to give it back. */
    private void letGo(EventEnvelope event) {
        try {
            flow.hotPath().leaveToPoller(event);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot leave an event to the poller; its lease expires later", LoggedError.of(e));
        }
    }
}
