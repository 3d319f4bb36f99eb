/** Outbox stores, purgers and transactions on plain JDBC. */
module outbox.jdbc {
    requires transitive outbox.core;
    requires static org.jspecify;
    requires static org.postgresql.jdbc;

    exports outbox.jdbc;
    exports outbox.jdbc.dialect;
    exports outbox.jdbc.purge;
    exports outbox.jdbc.relay;
    exports outbox.jdbc.store;
    exports outbox.jdbc.tx;
    exports outbox.jdbc.wakeup;
    exports outbox.jdbc.internal to
            outbox.inbox;
    exports outbox.jdbc.preflight to
            outbox.inbox;

    uses outbox.jdbc.StoreFinder;
    uses outbox.jdbc.store.AbstractJdbcOutboxStore;

    provides outbox.jdbc.StoreFinder with
            outbox.jdbc.store.RegisteredStores;
    provides outbox.jdbc.store.AbstractJdbcOutboxStore with
            outbox.jdbc.store.H2OutboxStore,
            outbox.jdbc.store.PostgresOutboxStore,
            outbox.jdbc.store.MySqlOutboxStore,
            outbox.jdbc.store.MariaDbOutboxStore;
}
