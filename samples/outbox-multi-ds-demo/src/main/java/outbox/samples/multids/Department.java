package outbox.samples.multids;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import org.h2.jdbcx.JdbcConnectionPool;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxWriter;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.util.JsonCodec;

/**
 * A part of the application that owns a database: its tables, its outbox, and the writer, dispatcher and poller that work on it.
 * Nothing in here is shared with another department.
 */
final class Department implements AutoCloseable {

    /** Work in a transaction of the department's database. */
    @FunctionalInterface
    interface Work {
        void in(Transaction transaction) throws Exception;
    }

    private final JdbcConnectionPool pool;
    private final TableName outboxTable;
    private final DoneCount done = new DoneCount();
    private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    private final JdbcTransactionManager transactions;
    private final OutboxWriter writer;
    private final OutboxDispatcher dispatcher;
    private final OutboxPoller poller;

    private Department(String name) {
        this.outboxTable = TableName.of(name + "_outbox");
        this.pool = JdbcConnectionPool.create(
                "jdbc:h2:mem:" + name + "-" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
        H2OutboxStore store = H2OutboxStore.on(outboxTable, JsonCodec.getDefault());
        ConnectionProvider connections = pool::getConnection;
        this.dispatcher = OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .listenerRegistry(listeners)
                .workerCount(2)
                .metrics(done)
                .build();
        this.poller = OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .intervalMs(100)
                .build();
        ThreadLocalTxContext txContext = new ThreadLocalTxContext();
        this.transactions = new JdbcTransactionManager(connections, txContext);
        this.writer = new OutboxWriter(txContext, store, new DispatcherWriterHook(dispatcher));
    }

    /** Opens a department with an outbox of its own and the given business tables. */
    static Department open(String name, String... businessTables) throws SQLException {
        Department department = new Department(name);
        try (Connection conn = department.pool.getConnection()) {
            OutboxSchema.create(conn, "h2", department.outboxTable);
            for (String table : businessTables) {
                JdbcTemplate.update(conn, table);
            }
        }
        department.poller.start();
        return department;
    }

    /** Registers who reacts to the department's own events. */
    void on(String eventType, EventListener listener) {
        listeners.register(eventType, listener);
    }

    /** Begins a transaction on this thread, besides one of another department if there is one. */
    Transaction begin() throws SQLException {
        return new Transaction(transactions.begin());
    }

    void transact(Work work) throws Exception {
        try (Transaction transaction = begin()) {
            work.in(transaction);
            transaction.commit();
        }
    }

    /** Waits until that many events of this department are DONE; fails if that takes too long. */
    void awaitDone(int events) throws InterruptedException {
        done.await(events);
    }

    long count(String sql, @Nullable Object... params) throws SQLException {
        try (Connection conn = pool.getConnection()) {
            return JdbcTemplate.query(conn, sql, row -> row.getLong(1), params).get(0);
        }
    }

    String outbox() {
        return outboxTable.toString();
    }

    /** Stops looking for events and delivers what is queued. */
    void stop() {
        poller.close();
        dispatcher.close();
    }

    /** Stops and closes the database. */
    @Override
    public void close() throws SQLException {
        stop();
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(conn, "SHUTDOWN");
        } finally {
            pool.dispose();
        }
    }

    /** A transaction of this department; rolls back when it is closed without a commit. */
    final class Transaction implements AutoCloseable {

        private final JdbcTransactionManager.Transaction transaction;

        private Transaction(JdbcTransactionManager.Transaction transaction) {
            this.transaction = transaction;
        }

        /** Changes the department's own data. */
        int update(String sql, @Nullable Object... params) throws SQLException {
            return JdbcTemplate.update(transaction.connection(), sql, params);
        }

        /** Tells the department's listeners, if the transaction commits. */
        void publish(EventEnvelope event) {
            writer.write(event);
        }

        void commit() throws SQLException {
            transaction.commit();
        }

        @Override
        public void close() throws SQLException {
            transaction.close();
        }
    }
}
