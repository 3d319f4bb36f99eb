package outbox.jdbc.store;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import outbox.internal.text.SafeLog;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.jdbc.dialect.Failure;
import outbox.model.Pause;
import outbox.model.PauseTarget;
import outbox.spi.MissingPauseTableException;
import outbox.spi.PauseStore;

/** What is paused for all processes, in a table beside that of the events. A table of an older version does not have it. */
final class JdbcPauseStore implements PauseStore {

    private static final Logger LOG = SafeLog.of(JdbcPauseStore.class);
    private static final int VERSION_WITH_PAUSES = 7;
    private static final String IS_TARGET = " WHERE kind = ? AND name = ?";

    private final EventTable table;
    private final TableName pauseTable;
    private final DatabaseTime time;

    JdbcPauseStore(EventTable table, DatabaseTime time) {
        this.table = table;
        this.pauseTable = table.name().beside("_pause");
        this.time = time;
    }

    @Override
    public List<Pause> pauses(Connection conn) {
        return run(
                        "list what is paused",
                        () -> JdbcTemplate.query(
                                conn,
                                "SELECT kind, name, reason, paused_by, paused_at FROM " + pauseTable
                                        + " ORDER BY kind, name",
                                this::pause))
                .stream()
                .flatMap(Optional::stream)
                .toList();
    }

    /** Empty if it is of a kind that only a newer version knows. */
    private Optional<Pause> pause(ResultSet row) throws SQLException {
        String kind = row.getString("kind");
        for (PauseTarget.Kind known : PauseTarget.Kind.values()) {
            if (known.name().equals(kind)) {
                Instant since = table.dialect().binding().readTime(row, 5, JdbcTemplate.utcCalendar());
                return Optional.of(new Pause(
                        new PauseTarget(known, row.getString("name")),
                        row.getString("reason"),
                        row.getString("paused_by"),
                        Objects.requireNonNull(since)));
            }
        }
        LOG.log(Level.DEBUG, "Table {0} has a pause of the unknown kind {1}", pauseTable, kind);
        return Optional.empty();
    }

    @Override
    public void pause(Connection conn, PauseTarget target, String reason, String who) {
        run("pause " + target, () -> {
            int updated = JdbcTemplate.update(
                    conn,
                    "UPDATE " + pauseTable + " SET reason = ?, paused_by = ?, paused_at = " + time.now() + IS_TARGET,
                    reason,
                    who,
                    target.kind().name(),
                    target.name());
            return updated > 0
                    ? updated
                    : JdbcTemplate.update(
                            conn,
                            "INSERT INTO " + pauseTable
                                    + " (kind, name, reason, paused_by, paused_at) VALUES (?, ?, ?, ?, " + time.now()
                                    + ")",
                            target.kind().name(),
                            target.name(),
                            reason,
                            who);
        });
    }

    @Override
    public boolean resume(Connection conn, PauseTarget target) {
        return run(
                        "resume " + target,
                        () -> JdbcTemplate.update(
                                conn,
                                "DELETE FROM " + pauseTable + IS_TARGET,
                                target.kind().name(),
                                target.name()))
                > 0;
    }

    private <T> T run(String what, EventTable.SqlCall<T> call) {
        return table.run(what, () -> {
            try {
                return call.run();
            } catch (SQLException e) {
                if (table.dialect().failures().is(Failure.MISSING, e)) {
                    throw new MissingPauseTableException(
                            "Table \"" + pauseTable + "\" is missing, so nothing can be paused for all processes: "
                                    + OutboxSchema.versions(table.dialect().name())
                                            .resource(VERSION_WITH_PAUSES)
                                    + " from "
                                    + Objects.requireNonNullElse(table.dialect().scriptsIn(), "outbox-jdbc")
                                    + " creates it",
                            e);
                }
                throw e;
            }
        });
    }
}
