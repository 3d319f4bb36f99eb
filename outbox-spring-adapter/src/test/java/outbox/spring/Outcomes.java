package outbox.spring;

import java.util.ArrayList;
import java.util.List;
import outbox.EventEnvelope;
import outbox.WriterHook;

/** Remembers what the writer was told about each event. */
final class Outcomes implements WriterHook {

    final List<String> committed = new ArrayList<>();
    final List<String> rolledBack = new ArrayList<>();

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        events.forEach(event -> committed.add(event.eventType()));
    }

    @Override
    public void afterRollback(List<EventEnvelope> events) {
        events.forEach(event -> rolledBack.add(event.eventType()));
    }
}
