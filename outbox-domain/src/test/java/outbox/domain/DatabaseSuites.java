package outbox.domain;

import java.sql.SQLException;
import org.junit.jupiter.api.Nested;

/** Everything that must hold on every database. */
abstract class DatabaseSuites {

    abstract OutboxDatabase open() throws SQLException;

    @Nested
    class Recording extends RecordingSuite {
        @Override
        OutboxDatabase open() throws SQLException {
            return DatabaseSuites.this.open();
        }
    }

    @Nested
    class InOrder extends OrderSuite {
        @Override
        OutboxDatabase open() throws SQLException {
            return DatabaseSuites.this.open();
        }
    }

    @Nested
    class Relay extends RelaySuite {
        @Override
        OutboxDatabase open() throws SQLException {
            return DatabaseSuites.this.open();
        }
    }
}
