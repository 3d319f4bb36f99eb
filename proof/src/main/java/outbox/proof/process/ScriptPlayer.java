package outbox.proof.process;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.proof.history.Fate;

/** Does what an event's script says, and what befalls it. */
public final class ScriptPlayer implements EventListener {

    /** The exit code of a process that an event has ended. */
    public static final int HALTED = 86;

    private final ProcessSettings settings;
    private final Trouble trouble;

    /** Plays for a process. */
    public ScriptPlayer(ProcessSettings settings, Trouble trouble) {
        this.settings = settings;
        this.trouble = trouble;
    }

    @Override
    public void onEvent(EventEnvelope event) throws Exception {
        Script script = Script.of(event.payloadJson());
        if (script.fate() == Fate.KILLER) {
            Runtime.getRuntime().halt(HALTED);
        }
        trouble.befall();
        Thread.sleep(script.slowMillis());
        if (fails(script, event.eventId())) {
            throw new IllegalStateException(
                    script.badText() ? BadText.of(event.eventId().hashCode()) : "as its script says: " + script.fate());
        }
    }

    private boolean fails(Script script, String eventId) throws IOException {
        return switch (script.fate()) {
            case POISON, KILLER -> true;
            case CURABLE -> !Files.exists(settings.cure(eventId));
            case WELL -> hasFailuresLeft(script, eventId);
        };
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
