package outbox.benchmarks.ours;

import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.WriterHook;
import outbox.spi.OutboxStore;

/** Inserts as the hook of a dispatcher does, without one behind it that would deliver. */
final class HotInsert {

    private static final String OWNER = "bench";

    private HotInsert() {}

    static WriterHook with(OutboxSettings settings) {
        return new WriterHook() {
            @Override
            public void insert(OutboxStore store, Connection conn, List<EventEnvelope> events) {
                if (settings.keys() > 0) {
                    Objects.requireNonNull(store.ordered()).insert(conn, events, OWNER);
                } else {
                    Objects.requireNonNull(store.leases()).insertLeased(conn, events, OWNER);
                }
            }
        };
    }
}
