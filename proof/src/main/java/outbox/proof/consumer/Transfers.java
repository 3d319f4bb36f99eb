package outbox.proof.consumer;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.inbox.EventHandler;
import outbox.jdbc.JdbcTemplate;
import outbox.proof.process.Accounts;
import outbox.proof.process.Script;
import outbox.proof.process.ScriptPlayer;
import outbox.spi.TxContext;

/**
 * The effect of an event: one unit goes from its account to another. Nothing in the tables keeps it from happening twice. What the event's
 * script says comes last, so that there is something to roll back.
 */
final class Transfers implements EventHandler {

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
    public void handle(EventEnvelope event) throws Exception {
        Connection conn = transactions.currentConnection();
        String from = Objects.requireNonNull(event.aggregateId(), "account");
        String to = Accounts.of(event.eventId().hashCode());
        JdbcTemplate.update(
                conn,
                "INSERT INTO effect (event_id, outbox, debited, credited, payload_sum, process) VALUES (?, ?, ?, ?, ?, ?)",
                event.eventId(),
                outbox,
                from,
                to,
                Script.sum(event.payloadJson()),
                process);
        add(conn, from, -1);
        add(conn, to, 1);
        scripts.onEvent(event);
    }

    private static void add(Connection conn, String account, int units) throws SQLException {
        JdbcTemplate.update(conn, "UPDATE balance SET units = units + ? WHERE account = ?", units, account);
    }
}
