package outbox.internal.preflight;

import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.CompletionMode;
import outbox.dispatch.OutboxDispatcher;
import outbox.poller.OutboxPoller;
import outbox.spi.ConnectionProvider;
import outbox.spi.Preflight;

/** What the parts of an outbox are going to do together. */
public final class PlannedWork {

    private PlannedWork() {}

    /** The work of an outbox; one without poller and dispatcher only writes. */
    public static Preflight.Work of(
            ConnectionProvider connections,
            @Nullable OutboxPoller poller,
            @Nullable OutboxDispatcher dispatcher,
            boolean purges,
            boolean transforms) {
        Preflight.Work polling = poller == null
                ? new Preflight.Work(Set.of(), connections, List.of(), Clock.systemUTC())
                : poller.plannedWork();
        Set<Preflight.Need> needs = new HashSet<>(polling.needs());
        if (purges || (dispatcher != null && dispatcher.completionMode() == CompletionMode.DELETE)) {
            needs.add(Preflight.Need.DELETES);
        }
        if (dispatcher != null && !dispatcher.onlyNewest().isEmpty()) {
            needs.add(Preflight.Need.KEEPS_ORDER); // the same column and index
        }
        if (purges) {
            needs.add(Preflight.Need.PURGES);
        }
        if (transforms) {
            needs.add(Preflight.Need.KEEPS_BYTES);
        }
        return new Preflight.Work(needs, polling.connections(), polling.held(), polling.clock());
    }
}
