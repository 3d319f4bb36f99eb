package outbox.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Consumer;
import outbox.EventEnvelope;
import outbox.internal.text.ContentMask;
import outbox.internal.text.LoggedError;

/** Tells a hook what happened and logs what it throws: that must neither fail a business transaction nor keep anybody else from the news. */
public final class GuardedHook {

    private GuardedHook() {}

    /** Calls one method of a hook, which has the given name. */
    public static void tell(Logger log, String phase, Consumer<List<EventEnvelope>> hook, List<EventEnvelope> events) {
        try {
            hook.accept(events);
        } catch (Throwable e) {
            log.log(
                    Level.ERROR,
                    "WriterHook." + phase + " failed for " + events.size() + " event(s)",
                    LoggedError.of(e, ContentMask.of(events)));
        }
    }
}
