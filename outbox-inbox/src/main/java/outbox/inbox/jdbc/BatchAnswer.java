package outbox.inbox.jdbc;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import outbox.inbox.AcquireConsumeCommand;
import outbox.inbox.BatchAcquireResult;

/** Collects what was found about several events. A record of another event type is detected later, when its event is acquired alone. */
final class BatchAnswer {

    private final Set<Event> wanted;
    private final Set<String> acquired = new HashSet<>();
    private final Set<String> succeeded = new HashSet<>();

    BatchAnswer(List<AcquireConsumeCommand> commands) {
        this.wanted = commands.stream()
                .map(command -> new Event(command.eventId(), command.eventType()))
                .collect(Collectors.toSet());
    }

    private record Event(String id, String type) {}

    /** Adds a record of a handled event; returns whether it counts. */
    boolean add(String eventId, String eventType, boolean mine) {
        return wanted.contains(new Event(eventId, eventType)) && (mine ? acquired : succeeded).add(eventId);
    }

    BatchAcquireResult result() {
        return new BatchAcquireResult(acquired, succeeded);
    }
}
