/** Outbox and inbox in SQLite. */
module outbox.sqlite {
    requires transitive outbox.jdbc;
    requires org.xerial.sqlitejdbc;
    requires static org.jspecify;

    exports outbox.sqlite;

    provides outbox.jdbc.store.AbstractJdbcOutboxStore with
            outbox.sqlite.SqliteOutboxStore;
}
