package outbox.domain;

import java.sql.SQLException;

class H2IT extends DatabaseSuites {

    @Override
    OutboxDatabase open() throws SQLException {
        return OutboxDatabase.h2();
    }
}
