package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.payload.PayloadText;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.Binding;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.jdbc.internal.rows.BytesRows;
import outbox.util.JsonCodec;

/**
 * Inserts events, with one statement for as many as the database takes at once: a row of values for each, which every database understands.
 * Several go as arrays to a database that takes them.
 */
final class Inserts {

    /** What follows behind {@link #COLUMNS} and the lease, in a statement that inserts payloads that are not text. */
    static final String WITH_BYTES = ", " + BytesRows.COLUMNS;

    static final String COLUMNS = "event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers,"
            + " status, attempts, available_at, created_at";

    /** Times the parameters of a row, this stays below 65,535, the most that MySQL takes. */
    static final int MAX_ROWS = 5_000;

    /** Keeps a statement below the packet limit of MySQL and MariaDB. */
    private static final int MAX_CHARS = 4 * 1024 * 1024;

    private static final int MOST_PARAMETERS_PER_ROW = 12;

    private static final String BEFORE_TIMES = "(?, ?, ?, ?, ?, ?, ?, 0, 0, ";

    private final EventTable table;
    private final JsonCodec codec;
    private final Binding binding;
    private final @Nullable DatabaseTime time;
    private final boolean leasing;
    private final String intoValues;
    private final String intoValuesWithBytes;
    private final String row;
    private final @Nullable UnnestInsert arrays;
    private final PortableOnce portableOnce;

    private Inserts(EventTable table, JsonCodec codec, @Nullable DatabaseTime leasedAt) {
        this.table = table;
        this.codec = codec;
        this.binding = table.binding();
        this.time = table.time();
        this.leasing = leasedAt != null;
        String into = "INSERT INTO " + table.name() + " (" + COLUMNS + (leasing ? ", locked_by, locked_at" : "");
        this.intoValues = into + ") VALUES ";
        this.intoValuesWithBytes = into + WITH_BYTES + ") VALUES ";
        this.row = row(dueAtOnce(), leasedAt == null ? "" : ", ?, " + leasedAt.now());
        boolean takesArrays = table.dialect().capabilities().insertsArrays();
        this.arrays = takesArrays ? new UnnestInsert(table, codec, into, leasedAt) : null;
        this.portableOnce = new PortableOnce(table);
    }

    /** Inserts without leases. */
    static Inserts plain(EventTable table, JsonCodec codec) {
        return new Inserts(table, codec, null);
    }

    /** Inserts of events that may be leased, by the time of the database. */
    static Inserts leased(EventTable table, JsonCodec codec, DatabaseTime time) {
        return new Inserts(table, codec, time);
    }

    /**
     * Which events are leased by their insert.
     *
     * @param ownerId to whom; null if none is
     */
    record Lease(@Nullable String ownerId, Predicate<EventEnvelope> chosen) {

        static final Lease NONE = new Lease(null, event -> false);

        /** All but those that are due later: their leases would have to be renewed until then. */
        static Lease ofAllDue(String ownerId) {
            return new Lease(ownerId, event -> !event.isDelayed());
        }

        static Lease of(Set<String> eventIds, String ownerId) {
            return new Lease(ownerId, event -> eventIds.contains(event.eventId()));
        }

        boolean covers(EventEnvelope event) {
            return ownerId != null && chosen.test(event);
        }
    }

    /** A statement with its parameters. */
    record Sql(String text, List<@Nullable Object> params) {}

    void insert(Connection conn, List<EventEnvelope> events, Lease lease) {
        table.insert(events, () -> execute(conn, events, lease));
    }

    /** Returns the number of statements that were needed. */
    private int execute(Connection conn, List<EventEnvelope> events, Lease lease) throws SQLException {
        UnnestInsert several = events.size() == 1 ? null : arrays;
        List<List<EventEnvelope>> chunks = chunks(events, several == null ? MAX_ROWS : UnnestInsert.MAX_ROWS);
        for (List<EventEnvelope> chunk : chunks) {
            if (several == null) {
                insertValues(conn, chunk, lease);
            } else {
                several.insert(conn, chunk, lease);
            }
        }
        return chunks.size();
    }

    /** Inserts one event or more, at most as many as fit into a statement. */
    void insertValues(Connection conn, List<EventEnvelope> chunk, Lease lease) throws SQLException {
        Sql insert = sql(chunk, lease);
        JdbcTemplate.update(conn, insert.text, insert.params.toArray());
    }

    /** Inserts what is not there yet of at most as many events as fit into a statement, and notes what it did. */
    void insertMissing(Connection conn, List<EventEnvelope> chunk, Lease lease, OnceInserts.Found found)
            throws SQLException {
        if (arrays == null) {
            portableOnce.insert(conn, chunk, events -> sql(events, lease), found);
        } else {
            arrays.insertMissing(conn, chunk, lease, found);
        }
    }

    /** What fits into one statement each. */
    static List<List<EventEnvelope>> chunks(List<EventEnvelope> events, int maxRows) {
        List<List<EventEnvelope>> chunks = new ArrayList<>();
        int from = 0;
        while (from < events.size()) {
            int to = endOfChunk(events, from, maxRows);
            chunks.add(events.subList(from, to));
            from = to;
        }
        return chunks;
    }

    private static int endOfChunk(List<EventEnvelope> events, int from, int maxRows) {
        int to = from;
        long chars = 0;
        while (to < events.size() && to - from < maxRows) {
            EventEnvelope event = events.get(to);
            chars += event.isBinary()
                    ? event.sizeInMemory()
                    : event.payloadJson().length();
            if (to > from && chars > MAX_CHARS) {
                break;
            }
            to++;
        }
        return to;
    }

    private Sql sql(List<EventEnvelope> chunk, Lease lease) {
        boolean withBytes = hasBytes(chunk);
        String into = withBytes ? intoValuesWithBytes : intoValues;
        StringBuilder text = new StringBuilder(into.length() + (row.length() + 8) * chunk.size());
        List<@Nullable Object> params = new ArrayList<>(chunk.size() * MOST_PARAMETERS_PER_ROW);
        for (EventEnvelope event : chunk) {
            boolean leased = lease.covers(event);
            text.append(text.isEmpty() ? into : ", ").append(rowOf(event, leased));
            addParams(event, params);
            if (leased) {
                params.add(lease.ownerId);
            }
            if (withBytes) {
                text.setLength(text.length() - 1);
                text.append(", ?, ?)");
                addBytes(event, params);
            }
        }
        return new Sql(text.toString(), params);
    }

    /** Whether there are payloads that are not text. */
    static boolean hasBytes(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            if (event.isBinary()) {
                return true;
            }
        }
        return false;
    }

    /** What stands in the column of the payload, which must not be empty. */
    static String payloadText(EventEnvelope event) {
        return event.isBinary() ? PayloadText.OF_BYTES : event.payloadJson();
    }

    /** The parameters of {@link #WITH_BYTES}. */
    static void addBytes(EventEnvelope event, List<@Nullable Object> params) {
        params.add(event.isBinary() ? event.payloadBytes() : null);
        params.add(event.isBinary() ? event.contentType() : null);
    }

    /** The parameters of a row up to the times, in the order of {@link #COLUMNS}. */
    void addParams(EventEnvelope event, List<@Nullable Object> params) {
        params.add(event.eventId());
        params.add(event.eventType());
        params.add(event.aggregateType());
        params.add(event.aggregateId());
        params.add(event.tenantId());
        params.add(binding.json(payloadText(event)));
        params.add(binding.json(headers(event, codec)));
        Object occurredAt = binding.writtenTime(event.occurredAt());
        params.add(event.isDelayed() ? availableAt(event) : occurredAt);
        params.add(occurredAt);
    }

    /** Most events have no headers, and no codec has to be asked what that means. */
    static @Nullable String headers(EventEnvelope event, JsonCodec codec) {
        return event.headers().isEmpty() ? null : codec.toJson(event.headers());
    }

    /** Nearly all rows look the same. */
    private String rowOf(EventEnvelope event, boolean leased) {
        if (leased == leasing && !event.isDelayed()) {
            return row;
        }
        String delayed = event.deliverAfter() != null && time != null ? time.nowPlusMicros() : "?";
        String lease = leased && time != null ? ", ?, " + time.now() : leasing ? ", NULL, NULL" : "";
        return row(event.isDelayed() ? delayed : dueAtOnce(), lease);
    }

    private static String row(String availableAt, String lease) {
        return BEFORE_TIMES + availableAt + ", ?" + lease + ")";
    }

    /** An event without a delay is due whatever the clock says of the process that made it. */
    String dueAtOnce() {
        return time == null ? "?" : time.notAfterNow();
    }

    /** Without the database's time a delay is reckoned by the clock of this process. */
    private Object availableAt(EventEnvelope event) {
        Duration delay = event.deliverAfter();
        if (delay != null) {
            return time == null ? binding.writtenTime(Instant.now().plus(delay)) : (Object) EventTable.micros(delay);
        }
        return binding.writtenTime(Objects.requireNonNull(event.availableAt()));
    }
}
