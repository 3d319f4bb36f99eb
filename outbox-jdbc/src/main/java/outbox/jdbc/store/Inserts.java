package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.util.JsonCodec;

/**
 * The best ways of a database to insert one event, to insert several, and to insert those whose id is not there yet.
 */
record Inserts(EventTable table, InsertStatement one, InsertStatement several, Missing missing) {

    /** Inserts what is not there yet of at most as many events as fit into a statement, and notes what it did. */
    @FunctionalInterface
    interface Missing {
        void insert(Connection conn, List<EventEnvelope> chunk, BornLeased leased, OnceInserts.Found found)
                throws SQLException;
    }

    /** Inserts without leases. */
    static Inserts plain(EventTable table, JsonCodec codec) {
        return of(table, codec, null);
    }

    /** Inserts of events that belong to an owner from the beginning, by the time of the database. */
    static Inserts leased(EventTable table, JsonCodec codec, DatabaseTime time) {
        return of(table, codec, time);
    }

    private static Inserts of(EventTable table, JsonCodec codec, @Nullable DatabaseTime leasedAt) {
        ValuesInsert values = new ValuesInsert(table, codec, leasedAt);
        if (!table.dialect().capabilities().insertsArrays()) {
            return new Inserts(table, values, values, new PortableOnce(table, values));
        }
        UnnestInsert arrays = new UnnestInsert(table, codec, leasedAt);
        return new Inserts(table, values, arrays, arrays);
    }

    void insert(Connection conn, List<EventEnvelope> events, BornLeased leased) {
        InsertStatement statement = events.size() == 1 ? one : several;
        table.insert(events, () -> statement.execute(conn, events, leased));
    }
}
