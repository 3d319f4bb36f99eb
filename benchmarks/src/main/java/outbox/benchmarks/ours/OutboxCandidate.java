package outbox.benchmarks.ours;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import outbox.WriterHook;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Candidate;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Listening;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.candidate.Role;
import outbox.benchmarks.database.DatabaseKind;
import outbox.benchmarks.database.NumberRows;
import outbox.benchmarks.database.Pool;
import outbox.benchmarks.database.Scratch;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;

/** This project's outbox, through its public classes and its own schema script. */
public final class OutboxCandidate implements Candidate {

    private static final String FINISHED_ROW =
            "INSERT INTO outbox_event (event_id, event_type, aggregate_type, payload,"
                    + " status, attempts, available_at, created_at, done_at)"
                    + " SELECT CONCAT('OLD-', n), 'OrderPlaced', 'GLOBAL', '%s', 1, 0, %s, %s, %s FROM %s";

    private final String name;
    private final OutboxSettings settings;
    private final boolean usesDefaults;

    private OutboxCandidate(String name, OutboxSettings settings, boolean usesDefaults) {
        this.name = name;
        this.settings = settings;
        this.usesDefaults = usesDefaults;
    }

    /** The product in all its forms. */
    public static List<Candidate> all() {
        return List.of(
                new OutboxCandidate("outbox", OutboxSettings.tuned(false), false),
                new OutboxCandidate("outbox-delete", OutboxSettings.tuned(true), false),
                listening("outbox-batch-" + OutboxListeners.BATCH, Listening.IN_BATCHES),
                listening("outbox-beside-hanging", Listening.BESIDE_ONE_THAT_HANGS),
                ordered(1),
                ordered(100),
                ordered(10_000),
                new OutboxCandidate("outbox-defaults", OutboxSettings.defaults(), true));
    }

    private static OutboxCandidate ordered(int keys) {
        return new OutboxCandidate("outbox-ordered-" + keys, OutboxSettings.ordered(keys), false);
    }

    private static OutboxCandidate listening(String name, Listening listening) {
        return new OutboxCandidate(name, OutboxSettings.tuned(false).with(listening), false);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Role role() {
        return Role.OURS;
    }

    @Override
    public boolean usesDefaults() {
        return usesDefaults;
    }

    @Override
    public boolean deletes() {
        return settings.deletes();
    }

    @Override
    public int keys() {
        return settings.keys();
    }

    @Override
    public Listening listening() {
        return settings.listening();
    }

    @Override
    public boolean consumes() {
        return !deletes() && keys() == 0 && listening() == Listening.ONE_BY_ONE;
    }

    @Override
    public boolean runsOn(DatabaseKind kind) {
        return true;
    }

    @Override
    public void createTables(Scratch database) throws SQLException {
        try (Connection connection = database.connect()) {
            OutboxSchema.create(connection, database.kind().label(), TableName.DEFAULT);
            if (settings.keys() > 0) {
                OutboxSchema.create(connection, database.kind().label() + "-ordered", TableName.DEFAULT);
            }
        }
    }

    @Override
    public String pendingQuery() {
        String pending = "SELECT count(*) FROM outbox_event WHERE status IN (0, 2)";
        boolean someHang = settings.listening() == Listening.BESIDE_ONE_THAT_HANGS;
        return someHang ? pending + " AND event_type <> '" + OutboxListeners.HANGING_TYPE + "'" : pending;
    }

    @Override
    public void addFinished(Scratch database, int rows) throws SQLException {
        String longAgo = "TIMESTAMP '2020-01-01 00:00:00'";
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            NumberRows numbers = NumberRows.of(database.kind(), rows);
            numbers.prepare(statement);
            statement.executeUpdate(String.format(
                    Locale.ROOT,
                    FINISHED_ROW,
                    new BenchEvent(0).payload(),
                    longAgo,
                    longAgo,
                    longAgo,
                    numbers.table()));
        }
    }

    @Override
    public Participant open(Scratch database, Purpose purpose, Deliveries deliveries) throws SQLException {
        if (purpose == Purpose.CONSUME || purpose == Purpose.CONSUME_AT_ONCE) {
            return InboxParticipant.open(database, usesDefaults, purpose == Purpose.CONSUME_AT_ONCE);
        }
        Pool pool = database.openPool();
        OutboxListeners listeners = new OutboxListeners(settings.listening(), purpose, deliveries);
        OutboxProduct product = switch (purpose) {
            case WRITE, BACKLOG -> OutboxProduct.writing(pool.dataSource(), settings, WriterHook.NOOP);
            case WRITE_HOT -> OutboxProduct.writing(pool.dataSource(), settings, HotInsert.with(settings));
            case CONSUME, CONSUME_AT_ONCE -> throw new IllegalStateException("not by an outbox");
            case DELIVER, DRAIN, DRAIN_TO_REMOTE -> OutboxProduct.delivering(pool.dataSource(), settings, listeners);
        };
        return new OutboxParticipant(product, pool, listeners);
    }
}
