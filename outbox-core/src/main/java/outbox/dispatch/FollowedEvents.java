package outbox.dispatch;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.WriterHook;
import outbox.dispatch.JoinedList.Look;
import outbox.internal.GuardedMetrics;
import outbox.internal.task.ThreadNames;
import outbox.model.OutboxHealth;
import outbox.spi.ConnectionProvider;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;

/**
 * Events of joined transactions that others deliver, or this process from a poll. They are counted when somebody says that their transaction
 * was committed. If there are hooks, the table is asked for them as for {@link JoinedEvents}, but only so that no hook hears of a commit before a
 * row was seen: at a word, otherwise after 50 ms and twice as long each time, for a minute. Without hooks no statement is sent. Thread-safe.
 */
public final class FollowedEvents implements AutoCloseable {

    /** How long an event is looked for if nobody says anything. */
    private static final Duration FOLLOWED_FOR = Duration.ofMinutes(1);

    private static final int MOST_EVENTS = OutboxDispatcher.DEFAULT_QUEUE_CAPACITY;
    private static final long MOST_BYTES =
            Runtime.getRuntime().maxMemory() / OutboxDispatcher.DEFAULT_QUEUE_SHARE_OF_HEAP / 4;

    private final OutboxStore store;
    private final WriterHook told;
    private final MetricsExporter metrics;
    private final Looks looks;
    private volatile boolean canAsk = true;

    /**
     * Follows the events of a table.
     *
     * @param connections on which the table is asked: never those of the transactions
     * @param told hears of each event, {@link WriterHook#NOOP} if nobody is interested
     * @param metrics counts events
     */
    public FollowedEvents(OutboxStore store, ConnectionProvider connections, WriterHook told, MetricsExporter metrics) {
        this.store = store;
        this.told = told;
        this.metrics = GuardedMetrics.of(metrics);
        this.looks = new Looks(
                "Look for followed events",
                ThreadNames.prefix("followed", store.tableName()),
                new Looks.Setup(
                        new JoinedList(MOST_EVENTS, MOST_BYTES), connections, System::nanoTime, told, eventId -> {}),
                this::look);
    }

    /** Joins a transaction, of which this process delivers nothing from memory. */
    public FollowedTransaction begin() {
        return new FollowedTransaction(this);
    }

    /** Hears what becomes of joined events. */
    WriterHook told() {
        return told;
    }

    /** Returns null if nobody is interested, or too many are looked for already. */
    @Nullable
    JoinedEvent add(EventEnvelope event) {
        writtenAgain(event.eventId());
        if (told == WriterHook.NOOP || !canAsk || looks.isClosed() || !hasRoom()) {
            return null;
        }
        long now = System.nanoTime();
        JoinedEvent followed = new JoinedEvent(event, now, true, now + FOLLOWED_FOR.toNanos());
        looks.add(followed);
        return followed;
    }

    void writtenAgain(String eventId) {
        looks.list().writtenAgain(eventId);
    }

    private boolean hasRoom() {
        return looks.list().room() > 0 && looks.list().bytesLeft() > 0;
    }

    void look(Collection<JoinedEvent> events, boolean ruledOut) {
        looks.soon(events, ruledOut);
    }

    void countWritten(EventEnvelope event) {
        metrics.eventWritten(event.eventType(), event.tenantId());
    }

    private void look(List<Look> group) {
        looks.ask(group, this::present, followed -> true);
    }

    private Set<String> present(Connection conn, Collection<String> eventIds) {
        try {
            return store.present(conn, eventIds);
        } catch (UnsupportedOperationException e) {
            canAsk = false;
            throw e;
        }
    }

    /** Whether the thread that looks does what it is there for. */
    public OutboxHealth health() {
        return looks.health();
    }

    /** Looks once more and stops. Closing twice is harmless. */
    @Override
    public void close() {
        looks.close();
    }
}
