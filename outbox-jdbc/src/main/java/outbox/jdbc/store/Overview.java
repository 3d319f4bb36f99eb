package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.spi.OrderedStore;
import outbox.spi.OutboxStore.DeadCount;
import outbox.spi.TableOverview;

/** Tells at a glance how much waits in the table, and for how long. Each part is found through an index, and ends at a limit. */
final class Overview {

    private static final String GLANCE = """
            SELECT due.available_at, %1$s AS db_now, dead.counted, dead.holding, %2$s AS pending FROM \
            (SELECT MIN(available_at) AS available_at FROM (%3$s) first_due) due, \
            (SELECT COUNT(*) AS counted, COUNT(CASE WHEN locked_by = '%4$s' THEN 1 END) AS holding FROM (%5$s) latest) dead""";

    /** Where no index has both states, each of them is counted up to the limit. */
    private static final String OF_STATE =
            "(SELECT COUNT(*) FROM (SELECT event_id FROM %1$s WHERE status = %2$d ORDER BY status, available_at, event_id LIMIT ?) of_%2$d)";

    private final EventTable table;
    private final boolean oneIndex;
    private final boolean hasClock;
    private final PendingRows.Query first;
    private final PendingRows.Query counted;
    private final String glance;
    private final @Nullable OldestFree oldestFree;

    Overview(EventTable table) {
        DatabaseTime time = table.time();
        PendingRows pending = new PendingRows(table);
        this.table = table;
        this.oneIndex = table.dialect().capabilities().ordersPendingInOneIndex();
        this.hasClock = time != null;
        this.first = pending.query("event_id, available_at", "available_at <= " + (time == null ? "?" : time.now()));
        this.counted = pending.query("event_id, available_at", "1 = 1");
        this.glance = String.format(
                Locale.ROOT,
                GLANCE,
                time == null ? "NULL" : time.now(),
                countPending(),
                first.text(PendingRows.Range.first(1)),
                OrderedStore.KEY_HELD,
                DeadRows.latest(table.name()));
        this.oldestFree = time == null ? null : new OldestFree(table, time);
    }

    private String countPending() {
        if (oneIndex) {
            return "(SELECT COUNT(*) FROM (" + counted.text(PendingRows.Range.first(0)) + ") backlog)";
        }
        return "(" + String.format(Locale.ROOT, OF_STATE, table.name(), 0) + " + "
                + String.format(Locale.ROOT, OF_STATE, table.name(), 2) + ")";
    }

    TableOverview look(Connection conn, int deadLimit, int pendingLimit) {
        return table.run("look at the table", () -> {
            Glance seen = JdbcTemplate.query(conn, glance, this::read, params(deadLimit, pendingLimit))
                    .get(0);
            Duration oldest = seen.oldest;
            if (oldest != null
                    && seen.dead.holdingKeys() > 0
                    && oldestFree != null
                    && table.columns().hasSequence(conn)) {
                oldest = oldestFree.find(conn);
            }
            return new TableOverview(oldest, seen.dead, Math.min(pendingLimit, seen.pending));
        });
    }

    private record Glance(@Nullable Duration oldest, DeadCount dead, int pending) {}

    private Object[] params(int deadLimit, int pendingLimit) {
        List<Object> due = hasClock ? List.of() : List.of(table.at(Instant.now()));
        List<Object> all = new ArrayList<>(Collections.nCopies(oneIndex ? 1 : 2, pendingLimit));
        Collections.addAll(all, first.params(due, PendingRows.Range.first(1)));
        all.add(deadLimit);
        return all.toArray();
    }

    private Glance read(ResultSet row) throws SQLException {
        Instant due = table.binding().readTime(row, 1, JdbcTemplate.utcCalendar());
        Instant now = table.binding().readTime(row, 2, JdbcTemplate.utcCalendar());
        return new Glance(
                due == null ? null : age(due, Objects.requireNonNullElseGet(now, Instant::now)),
                new DeadCount(row.getInt(3), row.getInt(4)),
                row.getInt(5));
    }

    static Duration age(Instant due, Instant now) {
        return due.isBefore(now) ? Duration.between(due, now) : Duration.ZERO;
    }
}
