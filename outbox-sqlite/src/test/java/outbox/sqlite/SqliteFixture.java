package outbox.sqlite;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.model.EventStatus;
import outbox.spi.EventPurger;
import outbox.spi.OutboxStore;
import outbox.testing.StoredEvent;
import outbox.testing.contract.StoreFixture;

/** A table in a file of its own. */
final class SqliteFixture implements StoreFixture {

    private static final String SETTINGS =
            "?transaction_mode=IMMEDIATE&busy_timeout=60000&journal_mode=WAL&synchronous=OFF";

    private static final SqliteBinding BINDING = new SqliteBinding();

    final HikariDataSource pool;
    private final SqliteOutboxStore store = new SqliteOutboxStore();

    private SqliteFixture(HikariDataSource pool) {
        this.pool = pool;
    }

    static SqliteFixture create() {
        SqliteFixture fixture = new SqliteFixture(pool(newFile(), SETTINGS));
        try (Connection conn = fixture.connect()) {
            OutboxSchema.create(conn, "sqlite", TableName.DEFAULT);
            OutboxSchema.create(conn, "sqlite-ordered", TableName.DEFAULT);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return fixture;
    }

    static String newFile() {
        try {
            Path directory = Files.createTempDirectory("outbox-sqlite");
            return directory.resolve("outbox.db").toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static HikariDataSource pool(String file, String settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:sqlite:" + file + settings);
        config.setMaximumPoolSize(12);
        return new HikariDataSource(config);
    }

    @Override
    public OutboxStore store() {
        return store;
    }

    @Override
    public EventPurger purger() {
        return store.purger();
    }

    @Override
    public Connection connect() throws SQLException {
        return pool.getConnection();
    }

    @Override
    public StoredEvent find(String eventId) throws SQLException {
        String sql =
                "SELECT event_id, status, attempts, available_at, created_at, done_at, last_error, locked_by, locked_at"
                        + " FROM outbox_event WHERE event_id = ?";
        try (Connection conn = connect()) {
            List<StoredEvent> found = JdbcTemplate.query(conn, sql, SqliteFixture::read, eventId);
            return found.isEmpty() ? null : found.get(0);
        }
    }

    private static StoredEvent read(ResultSet row) throws SQLException {
        return new StoredEvent(
                row.getString(1),
                EventStatus.fromCode(row.getInt(2)),
                row.getInt(3),
                Objects.requireNonNull(BINDING.readTime(row, 4, JdbcTemplate.utcCalendar())),
                Objects.requireNonNull(BINDING.readTime(row, 5, JdbcTemplate.utcCalendar())),
                BINDING.readTime(row, 6, JdbcTemplate.utcCalendar()),
                row.getString(7),
                row.getString(8),
                BINDING.readTime(row, 9, JdbcTemplate.utcCalendar()));
    }

    @Override
    public void clear() throws SQLException {
        update("DELETE FROM outbox_event");
    }

    @Override
    public void letPass(Duration time) throws SQLException {
        long micros = time.toNanos() / 1_000;
        update(
                "UPDATE outbox_event SET available_at = available_at - ?, created_at = created_at - ?, locked_at = locked_at - ?",
                micros,
                micros,
                micros);
    }

    private void update(String sql, Object... params) throws SQLException {
        try (Connection conn = connect()) {
            JdbcTemplate.update(conn, sql, params);
        }
    }

    @Override
    public boolean writesConcurrently() {
        return false;
    }
}
