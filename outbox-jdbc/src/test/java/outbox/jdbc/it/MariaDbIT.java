package outbox.jdbc.it;

import org.junit.jupiter.api.Nested;

class MariaDbIT extends DatabaseSuites {

    @Override
    TestedDatabase database() {
        return TestedDatabase.MARIADB;
    }

    @Nested
    class Isolation extends IsolationSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.MARIADB;
        }
    }
}
