package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.jdbc.dialect.Dialect;
import outbox.jdbc.dialect.EventIds;
import outbox.jdbc.internal.Deadlocks;
import outbox.jdbc.internal.rows.EventRowMapper;
import outbox.model.OutboxEvent;

/** A table of events in a database of some dialect: what all statements on it are made from. */
final class EventTable {

    /** The condition of events that are not finished. */
    static final String PENDING = "status IN (0, 2)";

    static final String OLDEST_FIRST = " ORDER BY created_at, event_id";

    static final Comparator<OutboxEvent> CLAIM_ORDER =
            Comparator.comparing(OutboxEvent::createdAt).thenComparing(OutboxEvent::eventId);

    private final TableName name;
    private final Dialect dialect;
    private final TableColumns columns;
    private final @Nullable DatabaseTime time;

    EventTable(TableName name, Dialect dialect) {
        this.name = name;
        this.dialect = dialect;
        this.columns = new TableColumns(name);
        this.time = dialect.time(name);
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

    /** The time of the database, or null if the dialect cannot ask for it, and hence cannot lease by it. */
    @Nullable
    DatabaseTime time() {
        return time;
    }

    /** The name and what makes a statement find its rows by primary key. */
    String byPrimaryKey() {
        return name + dialect.hints().primaryKey();
    }

    EventIds ids(Collection<String> ids) {
        return dialect.binding().ids(ids);
    }

    /** A time as a parameter. */
    Object at(Instant time) {
        return dialect.binding().time(time);
    }

    EventRowMapper rows() {
        return new EventRowMapper(dialect.binding());
    }

    <T> T run(String what, SqlCall<T> call) {
        try {
            return call.run();
        } catch (SQLException e) {
            throw OutboxStoreException.of(what, name, e);
        }
    }

    /** As {@link #run}; repeated if the database has rolled it back in favour of somebody else, unless the caller has a transaction. */
    <T> T change(String what, Connection conn, SqlCall<T> call) {
        return run(what, () -> Deadlocks.retry(conn, call::run));
    }

    /** Inserts, and says in case of a refusal what is wrong with the events. */
    <T> T insert(List<EventEnvelope> events, SqlCall<T> call) {
        try {
            return call.run();
        } catch (SQLException e) {
            throw new RefusedInsert(dialect.failures()).of(events, name, e);
        }
    }

    @FunctionalInterface
    interface SqlCall<T> {
        T run() throws SQLException;
    }
}
