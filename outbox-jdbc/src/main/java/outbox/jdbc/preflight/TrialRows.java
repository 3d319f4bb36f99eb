package outbox.jdbc.preflight;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.spi.OutboxStore.Retry;
import outbox.spi.Preflight;

/**
 * Two events that are written, read, changed and deleted as far as the outbox will do that; one has a tenant that nobody has, the other none. They
 * are due in ten years and never committed, so that nobody can take them or wait for them. Done once, for all checks that ask.
 */
final class TrialRows {

    private static final Duration TEN_YEARS = Duration.ofDays(3650);
    private static final String PLAIN = "plain";

    private final Trial trial;
    private final String id = TrialText.newId();
    private final String otherId = TrialText.newId();
    private final List<String> columns = List.of("event_id", "aggregate_type", "aggregate_id");
    private boolean done;
    private @Nullable SQLException insertRefused;
    private @Nullable SQLException textRefused;
    private @Nullable SQLException readRefused;
    private @Nullable SQLException updateRefused;
    private @Nullable SQLException deleteRefused;
    private boolean textKept = true;
    private int hidden;
    private final Map<String, List<String>> mixedUp = new TreeMap<>();

    TrialRows(Trial trial) {
        this.trial = trial;
    }

    /** Returns this; nothing is known if the table cannot be used. */
    TrialRows tried() throws SQLException {
        if (!done && trial.canUseTable()) {
            done = true;
            insert();
            read();
            if (trial.needs(Preflight.Need.DELIVERS)) {
                update();
            }
            if (trial.needs(Preflight.Need.DELETES)) {
                delete();
            }
        }
        return this;
    }

    /** Not even plain text could be inserted. */
    @Nullable
    SQLException insertRefused() {
        return insertRefused;
    }

    /** Plain text could be inserted, but no other. */
    @Nullable
    SQLException textRefused() {
        return textRefused;
    }

    @Nullable
    SQLException readRefused() {
        return readRefused;
    }

    @Nullable
    SQLException updateRefused() {
        return updateRefused;
    }

    @Nullable
    SQLException deleteRefused() {
        return deleteRefused;
    }

    /** Whether the text came back as it was written. */
    boolean textKept() {
        return textKept;
    }

    /** How many of the two rows could be written and then not be read, changed or deleted, at least. */
    int hidden() {
        return hidden;
    }

    /** By column: in what texts may differ that the column takes for the same. */
    Map<String, List<String>> mixedUp() {
        return mixedUp;
    }

    private void insert() throws SQLException {
        SQLException refused = insert(TrialText.FOREIGN);
        if (refused != null && !trial.isDenied(refused)) {
            insertRefused = insert(PLAIN);
            textRefused = insertRefused == null ? refused : null;
        } else {
            insertRefused = refused;
        }
    }

    private @Nullable SQLException insert(String text) throws SQLException {
        return trial.attempt(() -> trial.store()
                .insertBatch(trial.connection(), List.of(event(id, id, text), event(otherId, null, text))));
    }

    private static EventEnvelope event(String eventId, @Nullable String tenant, String text) {
        Instant now = Instant.now();
        return EventEnvelope.builder("outbox.preflight")
                .eventId(eventId)
                .aggregateType("Preflighte")
                .aggregateId(text + "e")
                .tenantId(tenant)
                .occurredAt(now)
                .availableAt(now.plus(TEN_YEARS))
                .payloadJson("{\"text\":\"" + text + "\"}")
                .build();
    }

    private void read() throws SQLException {
        List<String> select = new ArrayList<>(List.of("payload", "aggregate_id"));
        List<@Nullable Object> params = new ArrayList<>();
        String text = textRefused == null ? TrialText.FOREIGN : PLAIN;
        for (String column : columns) {
            Map<String, String> others = lookalikes(written(column, text));
            select.addAll(TrialText.comparisons(column, others.size()));
            params.addAll(others.values());
        }
        params.add(id);
        params.add(otherId);
        String sql = "SELECT " + String.join(", ", select) + ", event_id FROM " + trial.table()
                + " WHERE event_id IN (?, ?)";
        List<Integer> seen = new ArrayList<>();
        readRefused = trial.attempt(() ->
                seen.addAll(JdbcTemplate.query(trial.connection(), sql, row -> judge(row, text), params.toArray())));
        if (insertRefused == null && readRefused == null) {
            hidden = Math.max(hidden, 2 - seen.size());
        }
    }

    private String written(String column, String text) {
        return column.equals("event_id") ? id : column.equals("aggregate_type") ? "Preflighte" : text + "e";
    }

    private Map<String, String> lookalikes(String text) {
        return TrialText.lookalikes(text, !trial.dialect().probes().ignoresSpacesBehind());
    }

    /** A type of the database's own for JSON may change white space. */
    private int judge(ResultSet row, String text) throws SQLException {
        textKept = textKept && row.getString(1).contains(text) && (text + "e").equals(row.getString(2));
        int next = 3;
        for (String column : columns) {
            List<String> differences = List.copyOf(lookalikes("e").keySet());
            for (String difference : differences) {
                if (row.getInt(next++) == 1) {
                    List<String> ignored = mixedUp.computeIfAbsent(column, any -> new ArrayList<>());
                    if (!ignored.contains(difference)) {
                        ignored.add(difference);
                    }
                }
            }
        }
        return next;
    }

    private void update() throws SQLException {
        Instant later = Instant.now().plus(TEN_YEARS);
        int[] changed = new int[1];
        List<Retry> both = List.of(new Retry(id, later, "preflight"), new Retry(otherId, later, "preflight"));
        updateRefused = trial.attempt(() -> changed[0] = trial.store().markRetryAll(trial.connection(), both));
        if (insertRefused == null && readRefused == null && updateRefused == null) {
            hidden = Math.max(hidden, 2 - changed[0]);
        }
    }

    private void delete() throws SQLException {
        Connection conn = trial.connection();
        int[] deleted = new int[1];
        deleteRefused = trial.attempt(() -> deleted[0] =
                JdbcTemplate.update(conn, "DELETE FROM " + trial.table() + " WHERE event_id IN (?, ?)", id, otherId));
        if (insertRefused == null && readRefused == null && updateRefused == null && deleteRefused == null) {
            hidden = Math.max(hidden, 2 - deleted[0]);
        }
    }
}
