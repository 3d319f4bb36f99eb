package outbox.dispatch;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.WriterHook;

/**
 * The events of one joined transaction that this process does not deliver from memory; made by {@link FollowedEvents#begin()}. Not thread-safe.
 */
public final class FollowedTransaction implements WriterHook {

    private final FollowedEvents followed;
    private final Map<String, JoinedEvent> lookedFor = new LinkedHashMap<>();

    FollowedTransaction(FollowedEvents followed) {
        this.followed = followed;
    }

    WriterHook told() {
        return followed.told();
    }

    @Override
    public @Nullable List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        return told().beforeWrite(events);
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
        events.forEach(this::follow);
        told().afterWrite(events);
    }

    void follow(EventEnvelope event) {
        JoinedEvent joined = followed.add(event);
        if (joined != null) {
            lookedFor.put(event.eventId(), joined);
        }
    }

    /** Counts the events. Hooks hear of those that are found. */
    @Override
    public void afterCommit(List<EventEnvelope> events) {
        events.forEach(followed::countWritten);
        followed.look(lookedForOf(events), false);
    }

    /** Looks now, and never again for what is not there. */
    @Override
    public void afterRollback(List<EventEnvelope> events) {
        followed.look(lookedForOf(events), true);
    }

    @Override
    public void afterUnknown(List<EventEnvelope> events) {
        followed.look(lookedForOf(events), false);
    }

    /** Somebody has ended the transaction, or is about to, and does not say how: looks now, and again later for what is not there yet. */
    public void ended() {
        followed.look(lookedFor.values(), false);
    }

    private List<JoinedEvent> lookedForOf(List<EventEnvelope> events) {
        return events.stream()
                .map(event -> lookedFor.get(event.eventId()))
                .filter(Objects::nonNull)
                .toList();
    }
}
