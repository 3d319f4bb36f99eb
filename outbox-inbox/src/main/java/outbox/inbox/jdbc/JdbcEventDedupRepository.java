package outbox.inbox.jdbc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.inbox.AcquireConsumeCommand;
import outbox.inbox.AcquireConsumeResult;
import outbox.inbox.BatchAcquireResult;
import outbox.inbox.ConsumeRecord;
import outbox.inbox.EventDedupRepository;
import outbox.inbox.MarkConsumeFailedCommand;
import outbox.inbox.MarkConsumeSuccessCommand;
import outbox.internal.text.ContentMask;
import outbox.internal.text.EventNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.text.StoredText;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.dialect.Failure;
import outbox.util.JsonCodec;

/** The records in SQL; the dialect knows how an event is acquired. */
final class JdbcEventDedupRepository implements EventDedupRepository {

    private static final Logger LOG = SafeLog.of(JdbcEventDedupRepository.class);
    private static final List<@Nullable Object> NOTHING_KEPT = Arrays.asList(null, null, null, null, null);
    private static final String KEY = " WHERE consumer_group = ? AND event_id = ?";

    private final InboxDialect dialect;
    private final InboxConnections connections;
    private final RecordRows rows;
    private final RecordWidths widths;
    private final EventNames names;
    private final String find;
    private final String markSuccess;
    private final String markFailed;
    private final String insertFailed;

    JdbcEventDedupRepository(InboxDialect dialect, InboxConnections connections, UnaryOperator<String> tenantInLogs) {
        this.dialect = dialect;
        this.names = new EventNames(dialect.table().toString(), tenantInLogs);
        this.connections = connections;
        this.rows = new RecordRows(dialect.binding());
        this.widths = new RecordWidths(dialect);
        this.find = "SELECT " + RecordColumns.RECORD + " FROM " + dialect.table() + KEY;
        this.markSuccess = "UPDATE " + dialect.table() + " SET status = 1, processed_at = " + dialect.now()
                + ", updated_at = " + dialect.now() + ", locked_until = NULL, " + RecordColumns.CLEARED_BY_SUCCESS + KEY
                + " AND status = 0 AND locked_by = ?";
        this.markFailed = "UPDATE " + dialect.table() + " SET status = 2, retry_count = retry_count + 1, error_msg = ?,"
                + " next_retry_at = " + dialect.nowPlusMicros() + ", locked_until = NULL, updated_at = "
                + dialect.now() + ", aggregate_type = ?, aggregate_id = ?, occurred_at = ?, headers = ?, payload = ?"
                + KEY;
        this.insertFailed = "INSERT INTO " + dialect.table() + " (consumer_group, event_id, event_type, tenant_id,"
                + " status, retry_count, error_msg, next_retry_at, created_at, updated_at, aggregate_type,"
                + " aggregate_id, occurred_at, headers, payload) VALUES (?, ?, ?, ?, 2, 1, ?, "
                + dialect.nowPlusMicros() + ", " + dialect.now() + ", " + dialect.now() + ", ?, ?, ?, ?, ?)";
    }

    @Override
    public EventDedupRepository withTenantInLogs(UnaryOperator<String> tenantInLogs) {
        return new JdbcEventDedupRepository(dialect, connections, tenantInLogs);
    }

    @Override
    public AcquireConsumeResult tryAcquire(AcquireConsumeCommand command) {
        widths.check(command);
        return unlessLocked(
                () -> connections.joined("acquire event " + command.eventId(), conn -> dialect.acquire(conn, command)));
    }

    @Override
    public AcquireConsumeResult tryRecordSuccess(AcquireConsumeCommand command) {
        widths.check(command);
        return unlessLocked(() -> connections.inTransaction(
                "record event " + command.eventId(), conn -> dialect.recordSuccess(conn, command)));
    }

    /** A lock timeout means that whoever has the lock is handling the event. */
    private AcquireConsumeResult unlessLocked(Supplier<AcquireConsumeResult> acquisition) {
        try {
            return acquisition.get();
        } catch (OutboxStoreException e) {
            if (isCausedBy(Failure.LOCK_TIMEOUT, e) && connections.canGoOnAfterFailure(dialect.failures())) {
                return InboxDialect.IN_PROGRESS;
            }
            throw e;
        }
    }

    /** The database's own exception is in the cause. */
    private boolean isCausedBy(Failure failure, OutboxStoreException e) {
        return e.getCause() instanceof SQLException refusal
                && dialect.failures().is(failure, refusal);
    }

    @Override
    public BatchAcquireResult tryRecordSuccesses(List<AcquireConsumeCommand> commands) {
        if (commands.isEmpty()) {
            return new BatchAcquireResult(Set.of(), Set.of());
        }
        commands.forEach(widths::check);
        return connections.inTransaction(
                "record " + commands.size() + " event(s)", conn -> dialect.recordSuccesses(conn, commands));
    }

    @Override
    public Optional<ConsumeRecord> find(String consumerGroup, String eventId) {
        Objects.requireNonNull(consumerGroup, "consumerGroup");
        Objects.requireNonNull(eventId, "eventId");
        return connections
                .joined(
                        "read the record of event " + eventId,
                        conn -> JdbcTemplate.query(conn, find, rows::record, consumerGroup, eventId))
                .stream()
                .findFirst();
    }

    @Override
    public boolean markSuccess(MarkConsumeSuccessCommand command) {
        return connections.joined(
                        "mark event " + command.eventId() + " SUCCEEDED",
                        conn -> JdbcTemplate.update(
                                conn, markSuccess, command.consumerGroup(), command.eventId(), command.lockedBy()))
                > 0;
    }

    @Override
    public boolean markFailed(MarkConsumeFailedCommand command) {
        if (command.lockedBy() != null) {
            return update(command, " AND status = 0 AND locked_by = ?", command.lockedBy());
        }
        return update(command, " AND status = 2") || insert(command) || update(command, " AND status = 2");
    }

    private boolean update(MarkConsumeFailedCommand command, String condition, Object... more) {
        List<@Nullable Object> params = new ArrayList<>();
        params.add(RecordWidths.errorMsg(command.errorMsg()));
        params.add(retryIn(command));
        params.addAll(kept(command));
        params.add(command.consumerGroup());
        params.add(command.event().eventId());
        Collections.addAll(params, more);
        return connections.alone(
                        "mark event " + command.event().eventId() + " FAILED",
                        conn -> JdbcTemplate.update(conn, markFailed + condition, params.toArray()))
                > 0;
    }

    /** The record of a first arrival was rolled back with the transaction that failed. */
    private boolean insert(MarkConsumeFailedCommand command) {
        EventEnvelope event = command.event();
        List<@Nullable Object> params = new ArrayList<>(Arrays.asList(
                command.consumerGroup(),
                event.eventId(),
                event.eventType(),
                event.tenantId(),
                RecordWidths.errorMsg(command.errorMsg()),
                retryIn(command)));
        params.addAll(kept(command));
        try {
            connections.alone(
                    "insert failed event " + event.eventId(),
                    conn -> JdbcTemplate.update(conn, insertFailed, params.toArray()));
            return true;
        } catch (OutboxStoreException e) {
            if (isCausedBy(Failure.DUPLICATE, e)) {
                return false;
            }
            throw e;
        }
    }

    private static @Nullable Long retryIn(MarkConsumeFailedCommand command) {
        Duration retryIn = command.retryIn();
        return retryIn == null ? null : InboxDialect.micros(retryIn);
    }

    @Override
    public String tableName() {
        return dialect.table().toString();
    }

    private List<@Nullable Object> kept(MarkConsumeFailedCommand command) {
        EventEnvelope event = command.event();
        if (!command.keepEvent()) {
            return NOTHING_KEPT;
        }
        try {
            if (RecordWidths.canKeep(event)) {
                return Arrays.asList(
                        event.aggregateType(),
                        event.aggregateId(),
                        dialect.binding().time(event.occurredAt()),
                        JsonCodec.getDefault().toJson(event.headers()),
                        KeptPayload.of(event));
            }
        } catch (IllegalArgumentException e) {
            LOG.log(
                    Level.DEBUG,
                    "Headers of " + names.of(event) + " that cannot be stored",
                    LoggedError.of(e, ContentMask.of(event)));
        }
        // The failure of the event must be recorded all the same.
        LOG.log(
                Level.WARNING,
                "{0} of group {1} cannot be stored as it is and is not kept; it is retried when delivered again",
                names.of(event),
                StoredText.inOneLine(command.consumerGroup()));
        return NOTHING_KEPT;
    }
}
