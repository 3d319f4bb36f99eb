package outbox.dispatch;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import outbox.spi.OutboxStore;

/** Turns completions of events that are not leased into the store's marks, one call per kind. */
final class StoreMarks implements CompletionWriter.Marks {

    private final OutboxStore store;
    private final CompletionMode mode;

    StoreMarks(OutboxStore store, CompletionMode mode) {
        this.store = store;
        this.mode = mode;
    }

    @Override
    public Set<String> write(Connection conn, List<Completion> group) {
        List<String> done = new ArrayList<>(group.size());
        List<OutboxStore.Retry> retries = new ArrayList<>();
        List<OutboxStore.Dead> dead = new ArrayList<>();
        for (Completion completion : group) {
            if (completion.outcome() instanceof Outcome.Retry retry) {
                retries.add(new OutboxStore.Retry(completion.eventId(), retry.nextAt(), retry.error()));
            } else if (completion.outcome() instanceof Outcome.Dead end) {
                dead.add(new OutboxStore.Dead(completion.eventId(), String.valueOf(end.error())));
            } else {
                done.add(completion.eventId());
            }
        }
        writeDone(conn, done);
        if (!retries.isEmpty()) {
            store.markRetryAll(conn, retries);
        }
        if (!dead.isEmpty()) {
            store.markDeadAll(conn, dead);
        }
        return Set.of();
    }

    private void writeDone(Connection conn, List<String> done) {
        if (done.isEmpty()) {
            return;
        }
        if (mode == CompletionMode.DELETE) {
            store.deleteAll(conn, done);
        } else {
            store.markDoneAll(conn, done);
        }
    }
}
