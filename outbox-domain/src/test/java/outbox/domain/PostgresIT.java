package outbox.domain;

import java.sql.SQLException;

class PostgresIT extends DatabaseSuites {

    @Override
    OutboxDatabase open() throws SQLException {
        return OutboxDatabase.postgresql();
    }
}
