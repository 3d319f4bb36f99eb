package outbox.inbox.it;

import org.junit.jupiter.api.Nested;

/** What depends on how a driver passes on what the server says. */
class MariaDbThroughMySqlDriverIT {

    @Nested
    class Repository extends RepositorySuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.MARIADB_THROUGH_MYSQL_DRIVER;
        }
    }

    @Nested
    class Batch extends BatchSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.MARIADB_THROUGH_MYSQL_DRIVER;
        }
    }
}
