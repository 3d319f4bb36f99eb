package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.store.AbstractJdbcOutboxStore;

/** A table in partitions, and events whose ids tell their time. */
final class PartitionedTable {

    private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

    final TableName name;
    final AbstractJdbcOutboxStore store;
    private final TestedDatabase database = TestedDatabase.POSTGRESQL;

    PartitionedTable(String name) {
        this.name = TableName.of(name);
        this.store = database.store(this.name);
        Tables.createPartitioned(database, this.name);
    }

    /** A ULID of that time. */
    static String id(Instant time, int number) {
        StringBuilder prefix = new StringBuilder();
        for (char digit : Long.toString(time.toEpochMilli(), 32).toCharArray()) {
            prefix.append(ALPHABET.charAt(Character.digit(digit, 32)));
        }
        return String.format(Locale.ROOT, "%10s%016d", prefix, number).replace(' ', '0');
    }

    static EventEnvelope event(String id, Instant time) {
        return EventEnvelope.builder("Tick")
                .eventId(id)
                .occurredAt(time)
                .payloadJson("{}")
                .build();
    }

    /** Inserts an event and returns its id. */
    String insert(Instant time, int number) throws SQLException {
        String id = id(time, number);
        try (Connection conn = database.pool().getConnection()) {
            store.insertNew(conn, event(id, time));
        }
        return id;
    }

    /** Inserts an event that ended at once. */
    String insertEnded(int status, Instant time, int number) throws SQLException {
        String id = insert(time, number);
        update(id, "status = " + status + ", done_at = created_at");
        return id;
    }

    void update(String id, String assignments) throws SQLException {
        try (Connection conn = database.pool().getConnection()) {
            JdbcTemplate.update(conn, "UPDATE " + name + " SET " + assignments + " WHERE event_id = ?", id);
        }
    }

    /** The names of all partitions without that of the table, in order. */
    List<String> partitions() {
        return Tables.select(
                database.pool(),
                "SELECT substr(relname, length('%1$s') + 2) FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = '%1$s'::regclass ORDER BY 1"
                        .formatted(name));
    }

    /** The partition in which an event is, without the name of the table; empty if it is in none. */
    List<String> partitionOf(String id) {
        return Tables.select(
                database.pool(),
                "SELECT substr(tableoid::regclass::text, length('%1$s') + 2) FROM %1$s WHERE event_id = '%2$s'"
                        .formatted(name, id));
    }
}
