package outbox.proof.node;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.proof.process.Script;

/** What business does in a transaction: it locks an account, which counts its transactions, and writes down each event that it writes. */
final class Bookings {

    private final Random random;

    Bookings(Random random) {
        this.random = random;
    }

    /**
     * An event that is about to be written.
     *
     * @param account whose it is; null if it is nobody's
     */
    record Entry(@Nullable String account, Load.Draft draft) {}

    /** Locks an account until the transaction ends; which one of the account's it is. */
    static long lock(Connection conn, String account) throws SQLException {
        JdbcTemplate.update(conn, "UPDATE account SET n = n + 1 WHERE id = ?", account);
        return JdbcTemplate.query(conn, "SELECT n FROM account WHERE id = ?", row -> row.getLong(1), account)
                .get(0);
    }

    /** Writes the events of an account's transaction to an outbox. */
    void write(Connection conn, ProvenOutbox outbox, long n, List<Entry> entries) throws SQLException {
        List<EventEnvelope> events = new ArrayList<>();
        List<Object> bookings = new ArrayList<>();
        for (Entry entry : entries) {
            Load.Draft draft = entry.draft();
            EventEnvelope event = EventEnvelope.builder(ProvenOutbox.EVENT_TYPE)
                    .aggregateType(outbox.aggregateType(entry.account()))
                    .aggregateId(entry.account())
                    .payloadJson(draft.payload())
                    .deliverAfter(draft.delay())
                    .build();
            int place = events.size();
            events.add(event);
            Collections.addAll(
                    bookings,
                    event.eventId(),
                    outbox.table(),
                    entry.account(),
                    n,
                    place,
                    draft.script().fate().name(),
                    Script.sum(event.payloadJson()));
        }
        JdbcTemplate.update(
                conn,
                "INSERT INTO booking (event_id, outbox, account, n, place, fate, payload_sum) VALUES (?, ?, ?, ?, ?, ?, ?)"
                        + ", (?, ?, ?, ?, ?, ?, ?)".repeat(entries.size() - 1),
                bookings.toArray());
        if (random.nextBoolean()) { // in one call or in several, which must make no difference
            outbox.write(events);
        } else {
            events.forEach(outbox::write);
        }
    }
}
