package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import outbox.EventEnvelope;
import outbox.HeaderProvider;
import outbox.HeaderProvider.Scope;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;

/** Makes current on a thread what events carry for header providers. Thread-safe. */
final class CarriedHeaders {

    /** For an outbox without providers. */
    static final CarriedHeaders NONE = new CarriedHeaders(List.of());

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final List<HeaderProvider> providers;

    CarriedHeaders(List<HeaderProvider> providers) {
        this.providers = List.copyOf(providers);
    }

    /** All of it or nothing: what was restored before a provider failed is put back. */
    Scope restore(EventEnvelope event) {
        if (providers.isEmpty()) {
            return Scope.NONE;
        }
        Deque<Scope> restored = new ArrayDeque<>();
        try {
            for (HeaderProvider provider : providers) {
                restored.push(provider.restore(event));
            }
        } catch (Throwable e) {
            close(restored);
            throw e;
        }
        return () -> close(restored);
    }

    /** The last one first. One that fails keeps none of the others on the thread. */
    private static void close(Deque<Scope> restored) {
        while (!restored.isEmpty()) {
            try {
                restored.pop().close();
            } catch (Throwable e) {
                LOG.log(Level.ERROR, "A header provider cannot put back what was there before", LoggedError.of(e));
            }
        }
    }
}
