package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;

/**
 * Tells what became of each completion, once. An event of which nothing is ever told would stay in flight for ever, so it is known which
 * are due, and a listener that throws hides nothing from the others.
 */
final class Reports {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final CompletionWriter.Listener listener;
    private final Set<Completion> due = Collections.newSetFromMap(new IdentityHashMap<>());

    Reports(CompletionWriter.Listener listener) {
        this.listener = listener;
    }

    /** Says that something will become of these. */
    void expect(List<Completion> group) {
        due.addAll(group);
    }

    /** Says that this one will be {@linkplain #expect expected} again. */
    void setAside(Completion completion) {
        due.remove(completion);
        listener.kept(completion);
    }

    /** Those of which nothing was told yet. */
    List<Completion> due() {
        return List.copyOf(due);
    }

    void written(Completion completion, boolean late) {
        tell(completion, late ? listener::tooLate : listener::recorded);
    }

    void givenUp(List<Completion> group) {
        group.forEach(completion -> tell(completion, listener::givenUp));
    }

    private void tell(Completion completion, Consumer<Completion> report) {
        if (!due.remove(completion)) {
            return;
        }
        try {
            report.accept(completion);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, () -> "Cannot report the outcome of " + completion, LoggedError.of(e));
        }
    }
}
