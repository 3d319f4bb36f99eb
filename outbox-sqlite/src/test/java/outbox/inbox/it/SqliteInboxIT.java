package outbox.inbox.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Nested;

/**
 * The suites of the inbox. Not those that count statements, of which SQLite needs one more for a duplicate, nor the kills in the midst of
 * several transactions at once, which cannot be open together.
 */
class SqliteInboxIT {

    private static final TestedDatabase SQLITE = new TestedDatabase("sqlite", SqliteInboxIT::file) {
        @Override
        boolean writesConcurrently() {
            return false;
        }

        @Override
        boolean hasTimeZones() {
            return false;
        }

        @Override
        String moved(String column, int days) {
            return column + " = " + column + " + " + days + " * 86400000000";
        }
    };

    private static TestedDatabase.Address file() {
        try {
            String file =
                    Files.createTempDirectory("inbox-sqlite").resolve("db").toString();
            return new TestedDatabase.Address(
                    "jdbc:sqlite:" + file
                            + "?transaction_mode=IMMEDIATE&busy_timeout=2000&journal_mode=WAL&synchronous=OFF",
                    "",
                    "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Nested
    class Repository extends RepositorySuite {
        @Override
        TestedDatabase database() {
            return SQLITE;
        }
    }

    @Nested
    class Versions extends VersionSuite {
        @Override
        TestedDatabase database() {
            return SQLITE;
        }
    }

    @Nested
    class Template extends TemplateSuite {
        @Override
        TestedDatabase database() {
            return SQLITE;
        }
    }

    @Nested
    class Batch extends BatchSuite {
        @Override
        TestedDatabase database() {
            return SQLITE;
        }
    }

    @Nested
    class WholeBatch extends WholeBatchSuite {
        @Override
        TestedDatabase database() {
            return SQLITE;
        }
    }

    @Nested
    class LostAnswers extends LostAnswerSuite {
        @Override
        TestedDatabase database() {
            return SQLITE;
        }
    }

    @Nested
    class Records extends RecordSuite {
        @Override
        TestedDatabase database() {
            return SQLITE;
        }
    }

    @Nested
    class EndToEnd extends EndToEndSuite {
        @Override
        TestedDatabase database() {
            return SQLITE;
        }
    }

    @Nested
    class HostileTexts extends HostileTextSuite {
        @Override
        TestedDatabase database() {
            return SQLITE;
        }
    }
}
