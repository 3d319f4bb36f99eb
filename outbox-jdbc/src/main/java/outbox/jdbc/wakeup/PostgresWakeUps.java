package outbox.jdbc.wakeup;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import outbox.internal.task.ThreadNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.internal.Abort;
import outbox.spi.WakeUpSource;
import outbox.util.DaemonThreadFactory;

/**
 * {@code LISTEN} of PostgreSQL: rows that another process has written, in whatever language, are polled within milliseconds instead of
 * after the interval. The table needs the trigger of {@code schema/postgresql-notify.sql}, which notifies of rows that nobody has leased.
 *
 * <p>Keeps one connection of the data source for itself. When that dies it connects anew, and wakes the poller for what it may have
 * missed. On each connection it first sends a notification to itself (through a proxy, from a second connection that it borrows for that
 * moment): behind a proxy that gives each transaction another session none would ever arrive, which is said in the log instead of going
 * unnoticed; then the poller works as if this were not here.
 */
public final class PostgresWakeUps implements WakeUpSource {

    private static final Logger LOG = SafeLog.of(PostgresWakeUps.class);
    private static final int LOOK_MILLIS = 1_000;
    private static final int SILENT_LOOKS_BEFORE_A_QUESTION = 30;
    private static final int ANSWER_SECONDS = 5;
    private static final long SELF_TEST_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** Longer than one look. */
    private static final Duration ENDS_WITHIN = Duration.ofSeconds(3);

    private static final Duration PAUSE = Duration.ofSeconds(1);
    /** A proxy does not change its ways from one second to the next. */
    private static final Duration PAUSE_AFTER_SELF_TEST = Duration.ofMinutes(1);

    /** The server's limit. */
    private static final int MAX_CHANNEL_LENGTH = 63;

    /** A connection that listens. Whoever gets it next must neither hear the news nor find another mode. */
    private record Listening(Connection conn, boolean foundAutoCommit) implements AutoCloseable {

        static Listening begin(Connection conn, String channel) throws SQLException {
            Listening listening = new Listening(conn, conn.getAutoCommit());
            conn.setAutoCommit(true);
            listening.execute("LISTEN \"" + channel + "\"");
            return listening;
        }

        private void execute(String sql) throws SQLException {
            try (Statement statement = conn.createStatement()) {
                statement.execute(sql);
            }
        }

        @Override
        public void close() throws SQLException {
            execute("UNLISTEN *");
            conn.setAutoCommit(foundAutoCommit);
        }
    }

    private final DataSource dataSource;
    private final String channel;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable Thread thread;
    private volatile @Nullable Connection connection;

    /**
     * Listens for news of the given table; the channel has its name, with the schema if it was given one.
     *
     * @throws IllegalArgumentException if the name is longer than a channel's can be
     */
    public PostgresWakeUps(DataSource dataSource, TableName table) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        this.channel = requireShort(table.toString());
    }

    private static String requireShort(String channel) {
        if (channel.length() > MAX_CHANNEL_LENGTH) {
            throw new IllegalArgumentException(
                    "The channel \"" + channel + "\" must have at most " + MAX_CHANNEL_LENGTH + " characters, has "
                            + channel.length() + "; leave out the schema or give the table a shorter name");
        }
        return channel;
    }

    @Override
    public void start(Runnable wakeUp) {
        Thread started = new DaemonThreadFactory(ThreadNames.prefix("listen", channel)).newThread(() -> run(wakeUp));
        thread = started;
        started.start();
    }

    @Override
    public Object holdsConnectionOf() {
        return new DataSourceConnectionProvider(dataSource).source();
    }

    @Override
    public void close() {
        closed.countDown();
        Thread running = thread;
        if (running == null) {
            return;
        }
        try {
            running.join(ENDS_WITHIN.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Connection waitedOn = connection;
        if (running.isAlive() && waitedOn != null) {
            Abort.now(waitedOn); // the server does not even answer to the end of the listening
        }
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    private void run(Runnable wakeUp) {
        while (!isClosed()) {
            Duration wait = PAUSE;
            try (Connection conn = dataSource.getConnection();
                    Listening listening = Listening.begin(conn, channel)) {
                connection = conn;
                wait = hear(listening.conn(), wakeUp) ? PAUSE : PAUSE_AFTER_SELF_TEST;
            } catch (Throwable e) {
                LOG.log(
                        Level.WARNING,
                        () -> "Not listening on channel " + channel + ", polling goes on; trying again",
                        LoggedError.of(e));
            } finally {
                connection = null;
            }
            pause(wait);
        }
    }

    /** Returns false if nothing can be heard on this connection. */
    private boolean hear(Connection conn, Runnable wakeUp) throws SQLException {
        PGConnection news = conn.unwrap(PGConnection.class);
        if (!hearsItself(conn, news)) {
            LOG.log(
                    Level.WARNING,
                    "LISTEN on channel {0} does not work: a notification to itself did not arrive. A proxy that pools transactions"
                            + " cannot pass them on; give a data source that connects directly. Polling goes on",
                    channel);
            return false;
        }
        LOG.log(Level.INFO, "Listening on channel {0}", channel);
        wakeUp.run(); // for what came while nobody listened
        int silentLooks = 0;
        while (!isClosed()) {
            silentLooks++;
            if (arrived(news, LOOK_MILLIS).length > 0) {
                silentLooks = 0;
                wakeUp.run();
            }
            if (silentLooks == SILENT_LOOKS_BEFORE_A_QUESTION) {
                silentLooks = 0;
                requireAlive(conn);
            }
        }
        return true;
    }

    /** A connection whose other end is gone without a word is as silent as one without news. */
    private static void requireAlive(Connection conn) throws SQLException {
        if (!conn.isValid(ANSWER_SECONDS)) {
            throw new SQLException("The listening connection does not answer");
        }
    }

    private boolean hearsItself(Connection conn, PGConnection news) throws SQLException {
        String token = "self-test " + UUID.randomUUID();
        send(token, conn, news);
        long deadline = System.nanoTime() + SELF_TEST_NANOS;
        while (System.nanoTime() < deadline && !isClosed()) {
            for (PGNotification notification : arrived(news, LOOK_MILLIS / 10)) {
                if (token.equals(notification.getParameter())) {
                    return true;
                }
            }
        }
        return isClosed();
    }

    /**
     * A proxy shows another process id than the server's. It may pass on what comes as the answer to a statement of the same connection,
     * and nothing later; so through a proxy the notification is sent by another one.
     */
    private void send(String token, Connection conn, PGConnection news) throws SQLException {
        int backend = JdbcTemplate.query(conn, "SELECT pg_backend_pid()", row -> row.getInt(1))
                .get(0);
        if (backend == news.getBackendPID()) {
            send(token, conn);
        } else {
            ShortTransaction.run(new DataSourceConnectionProvider(dataSource), other -> send(token, other));
        }
    }

    private int send(String token, Connection conn) throws SQLException {
        return JdbcTemplate.query(conn, "SELECT pg_notify(?, ?)", row -> token, channel, token)
                .size();
    }

    private static PGNotification[] arrived(PGConnection news, int waitMillis) throws SQLException {
        PGNotification[] notifications = news.getNotifications(waitMillis);
        return notifications == null ? new PGNotification[0] : notifications;
    }

    private void pause(Duration time) {
        try {
            closed.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            closed.countDown(); // somebody wants this thread to end
        }
    }
}
