package outbox.inbox.it;

import org.junit.jupiter.api.Nested;

/** Everything that must hold on every database. */
abstract class DatabaseSuites {

    abstract TestedDatabase database();

    @Nested
    class Repository extends RepositorySuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Trials extends TrialSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Versions extends VersionSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Template extends TemplateSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Batch extends BatchSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class WholeBatch extends WholeBatchSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class LostAnswers extends LostAnswerSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Records extends RecordSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class StatementCounts extends StatementCountSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Processes extends ProcessSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class EndToEnd extends EndToEndSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class HostileTexts extends HostileTextSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }
}
