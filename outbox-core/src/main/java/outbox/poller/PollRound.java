package outbox.poller;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import outbox.EventEnvelope;
import outbox.internal.GuardedMetrics;
import outbox.internal.task.PeriodicTask;
import outbox.internal.text.ContentMask;
import outbox.internal.text.ErrorText;
import outbox.internal.text.EventNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.DatabaseFailure;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.MetricsExporter;
import outbox.util.JsonCodec;

/**
 * One round of polling: fetches as many rows as there is room for, hands them over one after another, marks those DEAD that cannot be
 * decoded, gives back those that nobody took, and asks for the next round. Runs in one thread at a time.
 */
final class PollRound {

    private static final Logger LOG = SafeLog.of(OutboxPoller.class);

    /** Time for memory to be freed. */
    private static final Duration PAUSE_AFTER_OUT_OF_MEMORY = Duration.ofMillis(100);

    /** Milliseconds cannot count much further, and a row may contain any time that its database can store. */
    private static final Duration LONGEST_AGE = Duration.ofDays(365_000);

    /** What the poller was built with. */
    record Parts(
            ConnectionProvider connections,
            OutboxPollerHandler handler,
            MetricsExporter metrics,
            JsonCodec codec,
            EventNames names,
            Clock clock) {}

    private final Parts parts;
    private final MetricsExporter metrics;
    private final boolean handlerCounts;
    private final PollLink link;
    private final RowSource source;
    private final PollPace pace;
    private final PeriodicTask schedule;

    PollRound(Parts parts, PollLink link, RowSource source, PollPace pace, PeriodicTask schedule) {
        this.parts = parts;
        this.metrics = GuardedMetrics.of(parts.metrics);
        this.handlerCounts = link.countsEnqueued(parts.metrics);
        this.link = link;
        this.source = source;
        this.pace = pace;
        this.schedule = schedule;
    }

    void run() throws SQLException {
        int limit = pace.limit(parts.handler.availableCapacity());
        if (limit <= 0) {
            link.pollWhenRoomFor(pace.batchSize());
            return;
        }
        link.pollStarting();
        try {
            poll(limit);
        } catch (Throwable e) {
            if (DatabaseFailure.isOutOfMemory(e)) {
                readLess(limit);
            }
            throw e;
        } finally {
            link.pollFinished();
        }
    }

    private void poll(int limit) throws SQLException {
        Instant now = parts.clock.instant();
        RowSource.Batch batch = ShortTransaction.run(parts.connections, conn -> source.fetch(conn, now, limit));
        List<RowSource.Row> rows = batch.rows();
        boolean found = !rows.isEmpty();
        pace.polled(found);
        metrics.recordOldestLagMs(
                rows.stream().mapToLong(row -> ageMs(row.event(), now)).max().orElse(0));
        if (handOver(rows) && batch.moreMayCome()) {
            askForMore();
        }
        if (!batch.left().isEmpty()) {
            link.leftInTable(batch.left());
        }
        if (pace.looksAgain(found, batch.othersWait())) {
            schedule.runAfter(pace.nextLook());
        }
        if (batch.lookAgain() != null) {
            schedule.runAfter(batch.lookAgain());
        }
        pace.fitted(limit, rows.size());
    }

    private static long ageMs(OutboxEvent row, Instant now) {
        Duration age = Duration.between(row.createdAt(), now);
        return age.compareTo(LONGEST_AGE) > 0 ? LONGEST_AGE.toMillis() : Math.max(0, age.toMillis());
    }

    /** The memory is free again, or soon will be; the next polls read fewer rows. */
    private void readLess(int limit) {
        pace.didNotFit(limit);
        link.rowsDidNotFit();
        schedule.runAfter(PAUSE_AFTER_OUT_OF_MEMORY);
    }

    /** A full batch means that more may be waiting. Without leases the same rows would be found again until they have ended. */
    private void askForMore() {
        if (source.locks()) {
            link.pollWhenRoomFor(pace.batchSize());
        } else {
            link.pollWhenEnded();
        }
    }

    /** Returns whether everything that could be handed over was. */
    private boolean handOver(List<RowSource.Row> rows) {
        HandOver handOver = new HandOver();
        try {
            handOver.run(rows);
            return !handOver.someStay;
        } finally {
            release(handOver.notTaken);
        }
    }

    /** Claimed rows that nobody took would otherwise be out of reach until their leases expire. */
    private void release(List<OutboxEvent> rows) {
        if (!source.locks() || rows.isEmpty()) {
            return;
        }
        try {
            ShortTransaction.run(parts.connections, conn -> source.release(conn, rows));
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    rows.size() + " claimed event(s) of " + parts.names.ofTable()
                            + " could not be released; their leases will expire",
                    LoggedError.of(e));
        }
    }

    /** What became of a row. */
    private enum Result {
        /** It is on its way, or has ended and lets later events of its key follow. */
        PASSED,
        /** It has ended, and later events of its key must not follow. */
        HOLDS_KEY,
        /** It is still in the table, and later events of its key must not overtake it. */
        STAYS,
        /** There is no room for it, nor for any other. */
        NO_ROOM
    }

    /** Hands the rows of one batch over, and knows which of them must be given back. */
    private final class HandOver {

        private final List<OutboxEvent> notTaken = new ArrayList<>();
        /** The ids of rows that later ones of their keys must not follow. */
        private final Set<String> blocking = new HashSet<>();
        /** Whether the next poll would find some of the same rows again. */
        private boolean someStay;

        /** Goes through the rows until there is no more room or the poller is closed. */
        void run(List<RowSource.Row> rows) {
            int next = 0;
            try {
                while (next < rows.size() && !schedule.isClosed() && passes(rows.get(next))) {
                    next++;
                }
            } finally {
                someStay |= next < rows.size();
                rows.subList(next, rows.size()).forEach(row -> notTaken.add(row.event()));
            }
        }

        /** Returns whether there may be room for another row. */
        private boolean passes(RowSource.Row row) {
            if (row.ahead().stream().anyMatch(blocking::contains)) {
                blocking.add(row.event().eventId());
                notTaken.add(row.event());
                return true;
            }
            Result result = offer(row);
            if (result == Result.HOLDS_KEY || result == Result.STAYS) {
                blocking.add(row.event().eventId());
            }
            if (result == Result.STAYS) {
                notTaken.add(row.event());
                someStay = true;
            }
            return result != Result.NO_ROOM;
        }
    }

    /** A row that cannot be decoded is dealt with here and does not stop those of other keys. */
    private Result offer(RowSource.Row row) {
        EventEnvelope event;
        try {
            event = row.decode(parts.codec);
        } catch (RuntimeException e) {
            return markUndecodable(row.event(), e);
        }
        int attempts = Math.max(0, row.event().attempts());
        if (source.leases()) {
            link.nextIsLeased(row.ahead(), row.suspicion());
        }
        boolean taken = parts.handler.handle(event, attempts);
        if (taken && !handlerCounts) {
            metrics.incrementColdEnqueued();
        }
        return taken ? Result.PASSED : Result.NO_ROOM;
    }

    private Result markUndecodable(OutboxEvent row, RuntimeException problem) {
        // The problem may be a codec's, which sees the headers and may quote them.
        ContentMask content = ContentMask.of(row);
        LOG.log(
                Level.ERROR,
                parts.names.of(row) + " cannot be decoded and is marked DEAD",
                LoggedError.of(problem, content));
        String error = ErrorText.limit("Cannot be decoded: " + ErrorText.of(problem, content));
        boolean holdsKey = source.isOrdered() && row.aggregateId() != null && link.holdsKeyWhenDead(row);
        try {
            if (!ShortTransaction.run(parts.connections, conn -> source.markDead(conn, row, error, holdsKey))) {
                return Result.STAYS; // another node has it by now, or it has ended
            }
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.ERROR,
                    "Cannot mark " + parts.names.of(row) + " DEAD; the next poll will try again",
                    LoggedError.of(e));
            return Result.STAYS;
        }
        metrics.incrementDispatchDead();
        metrics.eventDead(row.eventType());
        return holdsKey ? Result.HOLDS_KEY : Result.PASSED;
    }
}
