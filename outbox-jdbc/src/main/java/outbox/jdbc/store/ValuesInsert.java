package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.Binding;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.util.JsonCodec;

/** A row of values for each event, which every database understands. */
final class ValuesInsert extends InsertStatement {

    /** Times the parameters of a row, this stays below 65,535, the most that MySQL takes. */
    static final int MAX_ROWS = 5_000;

    private static final int MOST_PARAMETERS_PER_ROW = 10;

    private static final String BEFORE_TIMES = "(?, ?, ?, ?, ?, ?, ?, 0, 0, ";

    private final String row;
    private final boolean leasing;
    private final @Nullable DatabaseTime time;
    private final JsonCodec codec;
    private final Binding binding;

    /** With the time of the leases, or null to lease nothing. */
    ValuesInsert(EventTable table, JsonCodec codec, @Nullable DatabaseTime leasedAt) {
        super(table.name(), MAX_ROWS, leasedAt != null);
        this.leasing = leasedAt != null;
        this.time = table.time();
        this.row = BEFORE_TIMES + "?, ?" + (leasedAt == null ? ")" : ", ?, " + leasedAt.now() + ")");
        this.codec = codec;
        this.binding = table.dialect().binding();
    }

    @Override
    void insert(Connection conn, List<EventEnvelope> chunk, BornLeased leased) throws SQLException {
        Sql insert = sql(chunk, leased);
        JdbcTemplate.update(conn, insert.text(), insert.params().toArray());
    }

    /** A statement with its parameters. */
    record Sql(String text, List<@Nullable Object> params) {}

    Sql sql(List<EventEnvelope> chunk, BornLeased leased) {
        StringBuilder rows = new StringBuilder(into().length() + (row.length() + 2) * (chunk.size() + 1));
        List<@Nullable Object> params = new ArrayList<>(chunk.size() * MOST_PARAMETERS_PER_ROW);
        for (EventEnvelope event : chunk) {
            boolean held = leased.isLeased(event);
            rows.append(rows.isEmpty() ? into() + "VALUES " : ", ").append(rowOf(event, held));
            addParams(event, params);
            if (held) {
                params.add(leased.ownerId());
            }
        }
        return new Sql(rows.toString(), params);
    }

    /** The parameters of a row up to the times, in the order of {@link InsertStatement#COLUMNS}. */
    void addParams(EventEnvelope event, List<@Nullable Object> params) {
        params.add(event.eventId());
        params.add(event.eventType());
        params.add(event.aggregateType());
        params.add(event.aggregateId());
        params.add(event.tenantId());
        params.add(binding.json(event.payloadJson()));
        params.add(binding.json(codec.toJson(event.headers())));
        Object occurredAt = binding.writtenTime(event.occurredAt());
        params.add(event.isDelayed() ? availableAt(event) : occurredAt);
        params.add(occurredAt);
    }

    /** Nearly all rows look the same. */
    private String rowOf(EventEnvelope event, boolean held) {
        if (held == leasing && event.deliverAfter() == null) {
            return row;
        }
        String availableAt = event.deliverAfter() != null && time != null ? time.nowPlusMicros() : "?";
        String lease = held && time != null ? ", ?, " + time.now() : leasing ? ", NULL, NULL" : "";
        return BEFORE_TIMES + availableAt + ", ?" + lease + ")";
    }

    /** Without the database's time a delay is reckoned by the clock of this process. */
    private Object availableAt(EventEnvelope event) {
        Duration delay = event.deliverAfter();
        if (delay != null) {
            return time == null ? binding.writtenTime(Instant.now().plus(delay)) : (Object) LeaseSql.micros(delay);
        }
        return binding.writtenTime(Objects.requireNonNull(event.availableAt()));
    }
}
