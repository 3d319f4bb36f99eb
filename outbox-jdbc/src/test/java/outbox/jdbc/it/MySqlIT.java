package outbox.jdbc.it;

import org.junit.jupiter.api.Nested;

class MySqlIT extends DatabaseSuites {

    @Override
    TestedDatabase database() {
        return TestedDatabase.MYSQL;
    }

    @Nested
    class Isolation extends IsolationSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.MYSQL;
        }
    }
}
