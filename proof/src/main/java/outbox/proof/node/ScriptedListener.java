package outbox.proof.node;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.proof.history.Delivery.Result;
import outbox.proof.history.DeliveryJournal;
import outbox.proof.history.Fate;

/** Does what its event's script says, and what befalls it, and writes down when it begins and ends. */
final class ScriptedListener implements EventListener {

    private final String outbox;
    private final NodeSettings settings;
    private final DeliveryJournal journal;
    private final Trouble trouble;

    ScriptedListener(String outbox, NodeSettings settings, DeliveryJournal journal, Trouble trouble) {
        this.outbox = outbox;
        this.settings = settings;
        this.journal = journal;
        this.trouble = trouble;
    }

    @Override
    public void onEvent(EventEnvelope event) throws Exception {
        String payload = event.payloadJson();
        journal.begin(outbox, event.eventId());
        Result result = Result.FAILED;
        try {
            trouble.befall();
            follow(Script.of(payload), event.eventId());
            result = Result.OK;
        } finally {
            journal.end(outbox, event.eventId(), result, Script.sum(payload));
        }
    }

    private void follow(Script script, String eventId) throws IOException, InterruptedException {
        Thread.sleep(script.slowMillis());
        if (script.fate() == Fate.POISON || hasFailuresLeft(script, eventId)) {
            throw new IllegalStateException("as its script says: " + script.fate());
        }
    }

    private boolean hasFailuresLeft(Script script, String eventId) throws IOException {
        for (int i = 1; i <= script.failures(); i++) {
            try {
                Files.createFile(settings.failure(eventId, i));
                return true;
            } catch (FileAlreadyExistsException e) {
                // this one is behind it
            }
        }
        return false;
    }
}
