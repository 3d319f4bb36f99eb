package outbox.cluster.order;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.cluster.order.Delivery.Result;
import outbox.cluster.order.OrderJournal.What;

/** Does what the event's script says, and writes into the journal when it begins and ends. */
final class ScriptedListener implements EventListener {

    private final OrderSettings settings;
    private final String node;
    private final OrderJournal journal;

    ScriptedListener(OrderSettings settings, OrderJournal journal) {
        this.settings = settings;
        this.node = settings.node(ProcessHandle.current().pid());
        this.journal = journal;
    }

    @Override
    public void onEvent(EventEnvelope event) throws Exception {
        Script script = Script.of(event);
        long thread = Thread.currentThread().getId();
        journal.add(What.START, node, thread, event.eventId(), script.key(), script.n() + "." + script.index());
        Result result = Result.FAILED;
        try {
            Thread.sleep(script.slowMillis());
            result = fails(event, script) ? Result.FAILED : Result.OK;
        } finally {
            journal.add(What.END, node, thread, event.eventId(), result);
        }
        if (result == Result.FAILED) {
            throw new IllegalStateException("as its script says: " + script.fate());
        }
    }

    private boolean fails(EventEnvelope event, Script script) throws IOException {
        return switch (script.fate()) {
            case POISON -> true;
            case CURABLE -> !Files.exists(settings.cure(event.eventId()));
            case WELL -> hasFailuresLeft(event, script);
        };
    }

    /** Counted over all processes, which share the directory: otherwise each would fail as often, and use up the attempts. */
    private boolean hasFailuresLeft(EventEnvelope event, Script script) throws IOException {
        for (int i = 1; i <= script.failures(); i++) {
            try {
                Files.createFile(settings.failure(event.eventId(), i));
                return true;
            } catch (FileAlreadyExistsException e) {
                // this one is behind it
            }
        }
        return false;
    }
}
