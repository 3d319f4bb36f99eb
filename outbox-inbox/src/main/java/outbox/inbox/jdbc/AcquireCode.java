package outbox.inbox.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.OptionalLong;
import outbox.inbox.AcquireConsumeResult;
import outbox.inbox.AcquireConsumeState;

/**
 * What a statement found in an existing record, as one number: a statement that inserts or takes over can return no more than that on
 * every database. The lowest three bits are the kind, the others a detail.
 */
final class AcquireCode {

    private static final int KINDS = 8;
    private static final int SUCCEEDED = 1;
    private static final int CONFLICT = 3;

    /** With the status of a record that has to wait, 0 or 2, added. */
    private static final int WAITS = 2;

    private static final int LEASED = WAITS;
    private static final int NOT_DUE = WAITS + 2;

    /** The same for a record that may be taken over: all kinds from here on. */
    private static final int FREE = 5;

    private static final int EXPIRED = FREE;
    private static final int DUE = FREE + 2;

    private AcquireCode() {}

    /**
     * An SQL expression for the code of a record. Short: a database prepares all of it for each event, also for the first arrivals that
     * never need it. A record that is being handled waits for the end of its lease, a failed one, which has none, for its retry.
     *
     * @param record the table's alias with a dot, or nothing
     * @param arrivedType an expression for the type of the event that has arrived
     */
    static String sql(InboxDialect dialect, String record, String arrivedType) {
        String until = "COALESCE(#locked_until, #next_retry_at)";
        String sql = "(CASE WHEN #event_type <> " + arrivedType + " THEN " + CONFLICT
                + " WHEN #status = 1 THEN " + SUCCEEDED
                + " WHEN " + until + " > " + dialect.now() + " THEN " + WAITS + " + #status + " + KINDS + " * "
                + dialect.microsUntil(until)
                + " ELSE " + FREE + " + #status + " + KINDS + " * #retry_count END)";
        return sql.replace("#", record);
    }

    /** An SQL condition: whether a record with that code may be taken over. */
    static String isFree(String code) {
        return "MOD(" + code + ", " + KINDS + ") >= " + FREE;
    }

    /** Takes over a record that was free a moment ago, and returns how many rows it changed. */
    @FunctionalInterface
    interface TakeOver {
        int run() throws SQLException;
    }

    /**
     * The answer of a database that needs a second statement to take over a record.
     *
     * @param found the code of the record, 0 if there was none, empty if it was not visible
     */
    static AcquireConsumeResult answer(OptionalLong found, TakeOver takeOver) throws SQLException {
        if (found.isEmpty()) {
            return InboxDialect.IN_PROGRESS;
        }
        long code = found.getAsLong();
        if (code == 0) {
            return InboxDialect.ACQUIRED;
        }
        boolean free = code % KINDS >= FREE;
        return free && takeOver.run() == 0 ? InboxDialect.IN_PROGRESS : decode(code);
    }

    static AcquireConsumeResult decode(long code) {
        long detail = code / KINDS;
        return switch ((int) (code % KINDS)) {
            case SUCCEEDED -> AcquireConsumeResult.of(AcquireConsumeState.REPLAY_SUCCEEDED);
            case LEASED, NOT_DUE ->
                new AcquireConsumeResult(AcquireConsumeState.IN_PROGRESS, 0, Duration.of(detail, ChronoUnit.MICROS));
            case CONFLICT -> AcquireConsumeResult.of(AcquireConsumeState.CONFLICT);
            case EXPIRED -> new AcquireConsumeResult(AcquireConsumeState.ACQUIRED, (int) detail + 1, null);
            case DUE -> new AcquireConsumeResult(AcquireConsumeState.RETRYABLE_FAILED, (int) detail, null);
            default -> throw new IllegalArgumentException("Unknown code of a consume record: " + code);
        };
    }
}
