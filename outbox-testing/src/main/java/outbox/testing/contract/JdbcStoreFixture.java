package outbox.testing.contract;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.Objects;
import java.util.TimeZone;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;
import outbox.spi.EventPurger;
import outbox.spi.OutboxStore;
import outbox.testing.StoredEvent;

/** A fixture for a store on a table with the specified columns, which must exist already. */
public class JdbcStoreFixture implements StoreFixture {

    private final DataSource dataSource;
    private final String table;
    private final OutboxStore store;
    private final EventPurger purger;

    /** Describes a store on the given table. */
    public JdbcStoreFixture(DataSource dataSource, String table, OutboxStore store, EventPurger purger) {
        this.dataSource = dataSource;
        this.table = table;
        this.store = store;
        this.purger = purger;
    }

    @Override
    public OutboxStore store() {
        return store;
    }

    @Override
    public EventPurger purger() {
        return purger;
    }

    @Override
    public Connection connect() throws SQLException {
        return dataSource.getConnection();
    }

    @Override
    public @Nullable StoredEvent find(String eventId) throws SQLException {
        try (Connection conn = connect();
                PreparedStatement query = conn.prepareStatement("SELECT * FROM " + table + " WHERE event_id = ?")) {
            query.setString(1, eventId);
            try (ResultSet rows = query.executeQuery()) {
                return rows.next() ? read(rows) : null;
            }
        }
    }

    @Override
    public void clear() throws SQLException {
        try (Connection conn = connect();
                Statement statement = conn.createStatement()) {
            statement.executeUpdate("DELETE FROM " + table);
        }
    }

    @Override
    public void letPass(Duration time) throws SQLException {
        try (Connection conn = connect();
                Statement query = conn.createStatement();
                ResultSet rows = query.executeQuery("SELECT * FROM " + table);
                PreparedStatement update = conn.prepareStatement("UPDATE " + table
                        + " SET available_at = ?, created_at = ?, locked_at = ? WHERE event_id = ?")) {
            while (rows.next()) {
                StoredEvent row = read(rows);
                setTime(update, 1, row.availableAt().minus(time));
                setTime(update, 2, row.createdAt().minus(time));
                Instant lockedAt = row.lockedAt();
                setTime(update, 3, lockedAt == null ? null : lockedAt.minus(time));
                update.setString(4, row.eventId());
                update.addBatch();
            }
            update.executeBatch();
        }
    }

    private static void setTime(PreparedStatement statement, int index, @Nullable Instant time) throws SQLException {
        if (time == null) {
            statement.setNull(index, Types.TIMESTAMP);
        } else {
            statement.setTimestamp(index, Timestamp.from(time), utc());
        }
    }

    private static Calendar utc() {
        return new GregorianCalendar(TimeZone.getTimeZone("UTC"), Locale.ROOT);
    }

    private static StoredEvent read(ResultSet row) throws SQLException {
        return new StoredEvent(
                row.getString("event_id"),
                EventStatus.fromCode(row.getInt("status")),
                row.getInt("attempts"),
                Objects.requireNonNull(instant(row, "available_at")),
                Objects.requireNonNull(instant(row, "created_at")),
                instant(row, "done_at"),
                row.getString("last_error"),
                row.getString("locked_by"),
                instant(row, "locked_at"));
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        Timestamp value = row.getTimestamp(column, utc());
        return value == null ? null : value.toInstant();
    }
}
