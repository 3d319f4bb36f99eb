package outbox.boot.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.inbox.ConsumeRecord;
import outbox.inbox.ConsumeRecordStore;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.store.JdbcOutboxStores;

/**
 * Consume records of which only those are purged whose event no outbox of the same database will deliver again: one that is not DONE, DEAD ones
 * too, may still come, and the record is what keeps a group from handling it twice.
 */
final class FinishedRecords implements ConsumeRecordStore {

    private record Key(String group, String eventId) {}

    private final ConsumeRecordStore records;
    private final DataSourceConnectionProvider connections;
    private final String find;
    private final String delete;

    /** @param outboxes the tables of events in the same database */
    FinishedRecords(
            ConsumeRecordStore records, DataSource dataSource, TableName table, Collection<TableName> outboxes) {
        this.records = records;
        this.connections = new DataSourceConnectionProvider(dataSource);
        String ago = Objects.requireNonNull(
                        JdbcOutboxStores.detect(dataSource).dialect().recordTime())
                .nowPlusMicros();
        this.find = "SELECT consumer_group, event_id FROM " + table + " WHERE created_at < " + ago
                + " AND updated_at < " + ago + " AND status = 1"
                + outboxes.stream()
                        .map(events -> " AND NOT EXISTS (SELECT 1 FROM " + events + " e WHERE e.event_id = " + table
                                + ".event_id AND e.status <> 1)")
                        .collect(Collectors.joining())
                + " ORDER BY created_at LIMIT ?";
        this.delete = "DELETE FROM " + table + " WHERE consumer_group = ? AND event_id = ? AND status = 1";
    }

    @Override
    public int purge(Duration retention, int limit) {
        long before = -retention.toMillis() * 1000;
        try {
            return ShortTransaction.run(connections, conn -> purge(conn, before, limit));
        } catch (SQLException e) {
            throw new OutboxException("Cannot purge consume records", e);
        }
    }

    private int purge(Connection conn, long before, int limit) throws SQLException {
        List<Key> old = JdbcTemplate.query(
                conn, find, row -> new Key(row.getString(1), row.getString(2)), before, before, limit);
        for (Key key : old) {
            JdbcTemplate.update(conn, delete, key.group(), key.eventId());
        }
        return old.size();
    }

    @Override
    public @Nullable String tableName() {
        return records.tableName();
    }

    @Override
    public List<EventEnvelope> findDue(String consumerGroup, String eventType, int limit) {
        return records.findDue(consumerGroup, eventType, limit);
    }

    @Override
    public List<ConsumeRecord> findFailed(@Nullable String consumerGroup, boolean exhaustedOnly, int limit) {
        return records.findFailed(consumerGroup, exhaustedOnly, limit);
    }

    @Override
    public long countFailed(@Nullable String consumerGroup, boolean exhaustedOnly) {
        return records.countFailed(consumerGroup, exhaustedOnly);
    }

    @Override
    public boolean replay(String consumerGroup, String eventId) {
        return records.replay(consumerGroup, eventId);
    }

    @Override
    public int replayExhausted(String consumerGroup) {
        return records.replayExhausted(consumerGroup);
    }
}
