package outbox.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * Runs SQL on a given connection with bound parameters. Neither commits nor closes the connection.
 *
 * <p>An {@link Instant} is bound and read in UTC, to the microsecond, whatever the time zones of the JVM, the session and the column
 * type; other parameters go to {@link PreparedStatement#setObject(int, Object)} unless they are a {@link Parameter}.
 */
public final class JdbcTemplate {

    private static final int NO_LIMIT = 0;
    private static final TimeZone UTC = TimeZone.getTimeZone("UTC");

    private JdbcTemplate() {}

    /** Reads one row. */
    @FunctionalInterface
    public interface RowMapper<T> {

        /** Reads the row at which the result stands; must not move it. */
        T map(ResultSet row) throws SQLException;
    }

    /** A parameter that needs a way of its own to be bound. */
    @FunctionalInterface
    public interface Parameter {

        /** Binds the value to the statement's parameter of that index. */
        void bind(PreparedStatement statement, int index) throws SQLException;
    }

    /** Runs an insert, update or delete and returns the number of rows. */
    public static int update(Connection conn, String sql, @Nullable Object... params) throws SQLException {
        return updateWithin(NO_LIMIT, conn, sql, params);
    }

    /**
     * As {@link #update}, but has the driver cancel the statement when it has taken so long; see
     * {@link java.sql.Statement#setQueryTimeout}. Without limit where the driver cannot.
     *
     * @param seconds 0 sets no limit
     */
    public static int updateWithin(int seconds, Connection conn, String sql, @Nullable Object... params)
            throws SQLException {
        try (PreparedStatement statement = prepare(conn, sql, params)) {
            limit(statement, seconds);
            return statement.executeUpdate();
        }
    }

    /** Runs the same update with several sets of parameters and returns the number of rows. Atomic only within a transaction. */
    public static int batchUpdate(Connection conn, String sql, List<? extends @Nullable Object[]> rows)
            throws SQLException {
        return sum(batchUpdateCounts(conn, sql, rows));
    }

    /** The number of rows that a batch has changed, as far as the driver tells. */
    public static int sum(int[] counts) {
        return Arrays.stream(counts).map(count -> Math.max(0, count)).sum();
    }

    /**
     * As {@link #batchUpdate}, but returns the number of rows for each set of parameters; negative where the driver does not tell, see
     * {@link java.sql.Statement#SUCCESS_NO_INFO}.
     */
    public static int[] batchUpdateCounts(Connection conn, String sql, List<? extends @Nullable Object[]> rows)
            throws SQLException {
        return batchUpdateCountsWithin(NO_LIMIT, conn, sql, rows);
    }

    /**
     * As {@link #batchUpdateCounts}, with a limit as in {@link #updateWithin}. What was done of the batch when it is cancelled depends on the
     * driver: run it in a transaction.
     */
    public static int[] batchUpdateCountsWithin(
            int seconds, Connection conn, String sql, List<? extends @Nullable Object[]> rows) throws SQLException {
        try (PreparedStatement statement = conn.prepareStatement(sql)) {
            limit(statement, seconds);
            for (Object[] params : rows) {
                bindAll(statement, params);
                statement.addBatch();
            }
            return statement.executeBatch();
        }
    }

    /** Runs a query and returns its rows in order. */
    public static <T> List<T> query(Connection conn, String sql, RowMapper<T> mapper, @Nullable Object... params)
            throws SQLException {
        try (PreparedStatement statement = prepare(conn, sql, params);
                ResultSet rows = statement.executeQuery()) {
            return readAll(rows, mapper);
        }
    }

    /** Runs an update that returns rows, such as PostgreSQL's {@code UPDATE … RETURNING}. The order of the rows is undefined. */
    public static <T> List<T> updateReturning(
            Connection conn, String sql, RowMapper<T> mapper, @Nullable Object... params) throws SQLException {
        // By execute: MySQL's driver lets executeQuery run no insert, though a MariaDB server would return rows.
        try (PreparedStatement statement = prepare(conn, sql, params)) {
            statement.execute();
            try (ResultSet rows = statement.getResultSet()) {
                return readAll(rows, mapper);
            }
        }
    }

    private static void limit(PreparedStatement statement, int seconds) throws SQLException {
        if (seconds == NO_LIMIT) {
            return; // not even asked for: some drivers make a statement of it
        }
        try {
            statement.setQueryTimeout(seconds);
        } catch (SQLFeatureNotSupportedException e) {
            // Then it waits as long as the server lets it.
        }
    }

    private static <T> List<T> readAll(ResultSet rows, RowMapper<T> mapper) throws SQLException {
        List<T> result = new ArrayList<>();
        while (rows.next()) {
            result.add(mapper.map(rows));
        }
        return result;
    }

    /** Reads a number that may be missing. */
    public static OptionalLong getLong(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(value);
    }

    /** Reads a timestamp column that {@link JdbcTemplate} wrote. */
    public static @Nullable Instant getInstant(ResultSet row, String column) throws SQLException {
        Timestamp value = row.getTimestamp(column, utcCalendar());
        return value == null ? null : value.toInstant();
    }

    /**
     * A calendar for reading many timestamps that {@link JdbcTemplate} wrote; not thread-safe. Gregorian everywhere: the default one of a JVM
     * in Thailand counts other years.
     */
    public static Calendar utcCalendar() {
        return new GregorianCalendar(UTC, Locale.ROOT);
    }

    private static PreparedStatement prepare(Connection conn, String sql, @Nullable Object[] params)
            throws SQLException {
        PreparedStatement statement = conn.prepareStatement(sql);
        try {
            bindAll(statement, params);
            return statement;
        } catch (Throwable e) {
            statement.close();
            throw e;
        }
    }

    private static void bindAll(PreparedStatement statement, @Nullable Object[] params) throws SQLException {
        Calendar utc = null;
        for (int i = 0; i < params.length; i++) {
            if (params[i] instanceof Instant instant) {
                utc = utc == null ? utcCalendar() : utc;
                Timestamp timestamp = Timestamp.from(instant.truncatedTo(ChronoUnit.MICROS));
                statement.setTimestamp(i + 1, timestamp, utc);
            } else {
                bind(statement, i + 1, params[i]);
            }
        }
    }

    private static void bind(PreparedStatement statement, int index, @Nullable Object value) throws SQLException {
        if (value instanceof Parameter parameter) {
            parameter.bind(statement, index);
        } else if (value instanceof String text) {
            statement.setString(index, text);
        } else {
            statement.setObject(index, value);
        }
    }
}
