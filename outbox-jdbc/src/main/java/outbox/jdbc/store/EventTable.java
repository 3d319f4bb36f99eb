package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.payload.PayloadText;
import outbox.internal.text.StoredText;
import outbox.internal.transaction.RolledBackWork;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Binding;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.jdbc.dialect.Dialect;
import outbox.jdbc.dialect.EventIds;
import outbox.jdbc.internal.TextWidth;
import outbox.jdbc.internal.rows.BytesRows;
import outbox.jdbc.internal.rows.EventRowMapper;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore.Position;

/**
 * A table of events in a database of some dialect: what all statements on it are made from, and how they are run. Statements are made once,
 * with the store.
 */
final class EventTable {

    /** The condition of events that are not finished. */
    static final String PENDING = "status IN (0, 2)";

    static final String OLDEST_FIRST = " ORDER BY created_at, event_id";

    static final Comparator<OutboxEvent> CLAIM_ORDER =
            Comparator.comparing(OutboxEvent::createdAt).thenComparing(OutboxEvent::eventId);

    private static final int EVENT_ID_WIDTH = 36;
    private static final int EVENT_TYPE_WIDTH = 128;
    private static final int AGGREGATE_TYPE_WIDTH = 64;
    private static final int AGGREGATE_ID_WIDTH = 128;
    private static final int TENANT_ID_WIDTH = 64;

    private final TableName name;
    private final Dialect dialect;
    private final Binding binding;
    private final TableColumns columns;
    private final BytesRows bytes;
    private final @Nullable DatabaseTime time;
    private final String byPrimaryKey;
    private final boolean comparesRows;
    private final boolean ignoresSpacesBehind;
    private volatile int markSeconds;
    private volatile boolean clearsErrors;

    EventTable(TableName name, Dialect dialect) {
        this.name = name;
        this.dialect = dialect;
        this.binding = dialect.binding();
        this.columns = new TableColumns(name);
        this.bytes = new BytesRows(binding, name.toString());
        this.time = dialect.time(name);
        this.byPrimaryKey = name + dialect.hints().primaryKey();
        this.comparesRows = dialect.capabilities().comparesRows();
        this.ignoresSpacesBehind = dialect.probes().ignoresSpacesBehind();
    }

    TableName name() {
        return name;
    }

    Dialect dialect() {
        return dialect;
    }

    TableColumns columns() {
        return columns;
    }

    /** The payloads that are not text. */
    BytesRows bytes() {
        return bytes;
    }

    /** The time of the database, or null if the dialect cannot ask for it, and hence cannot lease by it. */
    @Nullable
    DatabaseTime time() {
        return time;
    }

    /** The name and what makes a statement find its rows by primary key. */
    String byPrimaryKey() {
        return byPrimaryKey;
    }

    Binding binding() {
        return binding;
    }

    /** A statement that deletes as many events as the condition names, and waits for no other. */
    String delete(String condition, int events) {
        return dialect.hints().delete(name.toString(), condition, events);
    }

    EventIds ids(Collection<String> ids) {
        return binding.ids(ids);
    }

    /** The condition of events that are not before a {@link Position}, with {@link #positionParams}. */
    String atOrBehindPosition() {
        return comparesRows
                ? "(available_at, event_id) >= (?, ?)"
                : "available_at >= ? AND (available_at > ? OR event_id >= ?)";
    }

    List<Object> positionParams(Position position) {
        Object time = binding.writtenTime(position.availableAt());
        return comparesRows ? List.of(time, position.eventId()) : List.of(time, time, position.eventId());
    }

    /** A time as a parameter. */
    Object at(Instant time) {
        return binding.time(time);
    }

    /** A duration as a parameter of {@link DatabaseTime#nowPlusMicros()}. */
    static long micros(Duration duration) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.EPOCH.plus(duration));
    }

    EventRowMapper rows() {
        return new EventRowMapper(binding);
    }

    /** Rounds up to seconds. */
    void limitMarks(Duration timeout) {
        markSeconds = (int) Math.max(1, timeout.plusMillis(999).toSeconds());
    }

    /** From now on DONE marks clear the error of an earlier delivery, or do not. */
    void clearErrors(boolean clears) {
        clearsErrors = clears;
    }

    boolean clearsErrors() {
        return clearsErrors;
    }

    /** How long a mark may take; 0 for no limit. */
    int markSeconds() {
        return markSeconds;
    }

    <T> T run(String what, SqlCall<T> call) {
        try {
            return call.run();
        } catch (SQLException e) {
            throw OutboxStoreException.of(what, name, e);
        }
    }

    /**
     * As {@link #run}; repeated if the database has rolled it back in favour of somebody else. Not if the caller has a transaction: the work
     * before it is gone as well, and only who began the transaction can repeat that.
     */
    <T> T change(String what, Connection conn, SqlCall<T> call) {
        try {
            return call.run();
        } catch (SQLException | RuntimeException e) {
            return run(what, () -> RolledBackWork.repeatAfter(e, call::run, conn::getAutoCommit));
        }
    }

    /** Inserts events that fit into their rows, and says in case of a refusal what is wrong with them. */
    <T> T insert(List<EventEnvelope> events, SqlCall<T> call) {
        events.forEach(this::requireFits);
        try {
            return call.run();
        } catch (SQLException e) {
            throw new RefusedInsert(dialect).of(events, name, e);
        }
    }

    /** As {@link #insert}, for events of which some may be there. */
    <T> T insertMissing(List<EventEnvelope> events, SqlCall<T> call) {
        events.forEach(this::requireFits);
        try {
            return call.run();
        } catch (SQLException e) {
            throw new RefusedInsert(dialect).ofMissing(events, name, e);
        }
    }

    private void requireFits(EventEnvelope event) {
        requireFits(event, "eventId", event.eventId(), EVENT_ID_WIDTH);
        if (ignoresSpacesBehind && TextWidth.endsInSpace(event.eventId())) {
            new TextWidth(name).requireNoSpaceBehind("eventId", event.eventId());
        }
        requireFits(event, "eventType", event.eventType(), EVENT_TYPE_WIDTH);
        requireFits(event, "aggregateType", event.aggregateType(), AGGREGATE_TYPE_WIDTH);
        requireFits(event, "aggregateId", event.aggregateId(), AGGREGATE_ID_WIDTH);
        requireFits(event, "tenantId", event.tenantId(), TENANT_ID_WIDTH);
        if (event.isBinary()) {
            return;
        }
        if (event.payloadJson().equals(PayloadText.OF_BYTES)) {
            throw PayloadText.reserved(event);
        }
        if (event.payloadJson().indexOf(0) >= 0) { // halves of pairs were refused when it was made
            StoredText.requireStorable("payload of event " + event.eventId(), event.payloadJson());
        }
    }

    /** A text has at least as many UTF-16 units as characters, so nearly all need not be counted. */
    private void requireFits(EventEnvelope event, String column, @Nullable String value, int width) {
        if (value != null && (value.length() > width || !StoredText.canBeStored(value))) {
            new TextWidth(name).require(column, " of event " + event.eventId(), value, width);
        }
    }

    @FunctionalInterface
    interface SqlCall<T> {
        T run() throws SQLException;
    }
}
