package outbox.samples.demo;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.WriterHook;

/** Notes the time at which the database had committed, before the event goes to the hot queue. */
final class CommitClock implements WriterHook {

    private final WriterHook next;
    private final Map<String, Long> committedAt = new ConcurrentHashMap<>();

    CommitClock(WriterHook next) {
        this.next = next;
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
        next.afterWrite(events);
    }

    @Override
    public void afterRollback(List<EventEnvelope> events) {
        next.afterRollback(events);
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        Long now = System.nanoTime();
        events.forEach(event -> committedAt.put(event.eventId(), now));
        next.afterCommit(events);
    }

    /** The time since the event's commit; null if another process committed it, or it was asked for before. */
    @Nullable
    Long nanosSinceCommit(EventEnvelope event) {
        long now = System.nanoTime();
        Long committed = committedAt.remove(event.eventId());
        return committed == null ? null : now - committed;
    }
}
