package outbox.cluster.order;

import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import outbox.cluster.order.OrderJournal.What;
import outbox.dead.BlockedKeyManager;
import outbox.dead.DeadEventManager;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.model.BlockedKey;
import outbox.model.EventStatus;
import outbox.spi.OutboxStore;

/** Looks which keys are held by a DEAD event; cures and replays it, or discards it. */
final class Person {

    private final OrderSettings settings;
    private final OrderJournal journal;
    private final DataSourceConnectionProvider connections;
    private final BlockedKeyManager blocked;
    private final DeadEventManager dead;

    Person(OrderSettings settings, OrderJournal journal, DataSourceConnectionProvider connections, OutboxStore store) {
        this.settings = settings;
        this.journal = journal;
        this.connections = connections;
        this.blocked = new BlockedKeyManager(connections, store);
        this.dead = new DeadEventManager(connections, store);
    }

    /** Acts once, and returns how things stand afterwards. */
    Progress act() throws SQLException, IOException {
        for (BlockedKey key : blocked.query(100)) {
            if (key.status() == EventStatus.DEAD) {
                letGoOn(key.eventId());
            }
        }
        try (var conn = connections.getConnection()) {
            return JdbcTemplate.query(
                            conn,
                            "SELECT count(*), sum(CASE WHEN status IN (0, 2) OR (status = 3 AND locked_by IS NOT NULL)"
                                    + " THEN 1 ELSE 0 END) FROM outbox_event",
                            row -> new Progress(row.getLong(1), row.getLong(2)))
                    .get(0);
        }
    }

    /** What is done is written down before, because the key may go on at once. */
    private void letGoOn(String eventId) throws SQLException, IOException {
        if (fate(eventId) == Fate.CURABLE) {
            if (!Files.exists(settings.cure(eventId))) {
                Files.createFile(settings.cure(eventId));
            }
            journal.add(What.REPLAYED, "person", eventId);
            dead.replay(eventId);
        } else {
            journal.add(What.DISCARDED, "person", eventId);
            blocked.discard(eventId);
        }
    }

    private Fate fate(String eventId) throws SQLException {
        try (var conn = connections.getConnection()) {
            return Fate.valueOf(JdbcTemplate.query(
                            conn, "SELECT fate FROM business WHERE event_id = ?", row -> row.getString(1), eventId)
                    .get(0));
        }
    }
}
