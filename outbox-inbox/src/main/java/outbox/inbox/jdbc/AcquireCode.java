package outbox.inbox.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import outbox.inbox.AcquireConsumeResult;
import outbox.inbox.AcquireConsumeState;

/**
 * What a statement found in an existing record, as one number: that is all that every database can be made to return from a statement that
 * inserts or takes over. The lowest three bits are the kind, the others a detail.
 */
final class AcquireCode {

    private static final int KINDS = 8;
    private static final int SUCCEEDED = 1;
    private static final int LEASED = 2;
    private static final int NOT_DUE = 3;
    private static final int CONFLICT = 4;
    private static final int EXPIRED = 5;
    private static final int DUE = 6;

    /** The first kind of record that may be taken over. */
    private static final int FREE_FROM = EXPIRED;

    private AcquireCode() {}

    /**
     * An SQL expression for the code of a record.
     *
     * @param record the table's alias with a dot, or nothing
     * @param arrivedType an expression for the type of the event that has arrived
     */
    static String sql(InboxDialect dialect, String record, String arrivedType) {
        String sql = "(CASE WHEN #event_type <> " + arrivedType + " THEN " + CONFLICT
                + " WHEN #status = 1 THEN " + SUCCEEDED
                + " WHEN #status = 0 AND #locked_until >= " + dialect.now() + " THEN " + LEASED + " + " + KINDS + " * "
                + dialect.microsUntil(record + "locked_until")
                + " WHEN #status = 2 AND #next_retry_at > " + dialect.now() + " THEN " + NOT_DUE + " + " + KINDS
                + " * " + dialect.microsUntil(record + "next_retry_at")
                + " WHEN #status = 2 THEN " + DUE + " + " + KINDS + " * #retry_count"
                + " ELSE " + EXPIRED + " + " + KINDS + " * (#retry_count + 1) END)";
        return sql.replace("#", record);
    }

    /** An SQL condition: whether a record with that code may be taken over. */
    static String isFree(String code) {
        return "MOD(" + code + ", " + KINDS + ") >= " + FREE_FROM;
    }

    /** Takes a record over that was free a moment ago, and tells how many it got. */
    @FunctionalInterface
    interface TakeOver {
        int run() throws SQLException;
    }

    /**
     * The answer of a database that needs a second statement to take a record over.
     *
     * @param code that of the record, 0 if there was none, null if nothing could be seen of it
     */
    static AcquireConsumeResult answer(@Nullable Long code, TakeOver takeOver) throws SQLException {
        if (code == null) {
            return InboxDialect.IN_PROGRESS;
        }
        if (code == 0) {
            return InboxDialect.ACQUIRED;
        }
        boolean free = code % KINDS >= FREE_FROM;
        return free && takeOver.run() == 0 ? InboxDialect.IN_PROGRESS : decode(code);
    }

    static AcquireConsumeResult decode(long code) {
        long detail = code / KINDS;
        return switch ((int) (code % KINDS)) {
            case SUCCEEDED -> AcquireConsumeResult.of(AcquireConsumeState.REPLAY_SUCCEEDED);
            case LEASED, NOT_DUE ->
                new AcquireConsumeResult(AcquireConsumeState.IN_PROGRESS, 0, Duration.of(detail, ChronoUnit.MICROS));
            case CONFLICT -> AcquireConsumeResult.of(AcquireConsumeState.CONFLICT);
            case EXPIRED -> new AcquireConsumeResult(AcquireConsumeState.ACQUIRED, (int) detail, null);
            case DUE -> new AcquireConsumeResult(AcquireConsumeState.RETRYABLE_FAILED, (int) detail, null);
            default -> throw new IllegalArgumentException("Unknown code of a consume record: " + code);
        };
    }
}
