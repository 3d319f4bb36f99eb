package outbox.proof.consumer;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import outbox.EventEnvelope;
import outbox.inbox.BatchEventHandler;
import outbox.jdbc.JdbcTemplate;
import outbox.proof.process.Accounts;
import outbox.proof.process.Script;
import outbox.proof.process.ScriptPlayer;
import outbox.spi.TxContext;

/**
 * The effect of an event: one unit goes from its account to another. Nothing in the tables keeps it from happening twice. What the events'
 * scripts say comes last, so that there is something to roll back.
 */
final class Transfers implements BatchEventHandler {

    private static final String ROW = "(?, ?, ?, ?, ?, ?)";

    private final TxContext transactions;
    private final ScriptPlayer scripts;
    private final String outbox;
    private final String process;

    Transfers(TxContext transactions, ScriptPlayer scripts, String outbox, String process) {
        this.transactions = transactions;
        this.scripts = scripts;
        this.outbox = outbox;
        this.process = process;
    }

    @Override
    public void handle(List<EventEnvelope> events) throws Exception {
        List<Object> effects = new ArrayList<>();
        Map<String, Integer> units = new TreeMap<>(); // in one order for all, as each locks its row
        for (EventEnvelope event : events) {
            String from = Objects.requireNonNull(event.aggregateId(), "account");
            String to = Accounts.of(event.eventId().hashCode());
            effects.addAll(List.of(event.eventId(), outbox, from, to, Script.sum(event.payloadJson()), process));
            units.merge(from, -1, Integer::sum);
            units.merge(to, 1, Integer::sum);
        }
        Connection conn = transactions.currentConnection();
        JdbcTemplate.update(
                conn,
                "INSERT INTO effect (event_id, outbox, debited, credited, payload_sum, process) VALUES " + ROW
                        + (", " + ROW).repeat(events.size() - 1),
                effects.toArray());
        for (Map.Entry<String, Integer> account : units.entrySet()) {
            add(conn, account.getKey(), account.getValue());
        }
        for (EventEnvelope event : events) {
            scripts.onEvent(event);
        }
    }

    private static void add(Connection conn, String account, int units) throws SQLException {
        JdbcTemplate.update(conn, "UPDATE balance SET units = units + ? WHERE account = ?", units, account);
    }
}
