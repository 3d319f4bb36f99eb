package outbox.poller;

import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import outbox.EventEnvelope;
import outbox.internal.GuardedMetrics;
import outbox.internal.task.PeriodicTask;
import outbox.internal.text.EventNames;
import outbox.internal.text.RowWords;
import outbox.internal.transaction.DatabaseFailure;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;
import outbox.spi.MetricsExporter;
import outbox.util.JsonCodec;

/**
 * One round of polling: fetches as many rows as there is room for, hands them over one after another, marks those DEAD that cannot be
 * decoded, gives back those that nobody took, and asks for the next round. Runs in one thread at a time.
 */
final class PollRound {

    /** Time for memory to be freed. */
    private static final Duration PAUSE_AFTER_OUT_OF_MEMORY = Duration.ofMillis(100);

    /** Milliseconds cannot count much further, and a row may contain any time that its database can store. */
    private static final Duration LONGEST_AGE = Duration.ofDays(365_000);

    private static final long SHORTEST_PUT_OFF_MS = 5_000;
    private static final long LONGEST_PUT_OFF_MS = 600_000;

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
    private final UndecodableRows undecodable;
    private final AfterPoll afterwards;
    private final PollSigns signs;
    private boolean someUndecodable;

    PollRound(Parts parts, PollLink link, RowSource source, PollPace pace, PeriodicTask schedule) {
        this.parts = parts;
        this.metrics = GuardedMetrics.of(parts.metrics);
        this.handlerCounts = link.countsEnqueued(parts.metrics);
        this.link = link;
        this.source = source;
        this.pace = pace;
        this.schedule = schedule;
        this.undecodable = new UndecodableRows(parts, metrics, link, source);
        this.afterwards = new AfterPoll(parts, source);
        this.signs = new PollSigns(pace.longestPause(), System::nanoTime);
    }

    PollSigns signs() {
        return signs;
    }

    /** Tells of failures that were only counted. */
    void close() {
        undecodable.close();
    }

    /** @param active whether this process is the one that polls */
    void run(boolean active) throws SQLException {
        if (someUndecodable) {
            undecodable.tick();
        }
        int limit = active ? pace.limit(parts.handler.availableCapacity()) : 0;
        if (active && limit <= 0) {
            link.pollWhenRoomFor(pace.batchSize());
        }
        if (limit <= 0) {
            recordLagOfHeld();
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
        signs.polled(now);
        List<RowSource.Row> rows = batch.rows();
        recordLag(rows, now);
        HandOver handOver;
        try {
            handOver = handOver(rows, now);
        } finally {
            afterwards.lookAgain(batch.putOff());
        }
        boolean found = handOver.some;
        pace.polled(found);
        if (!handOver.someStay && batch.moreMayCome()) {
            askForMore(handOver);
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

    /** The table was not asked: only the age of what is held here is known. */
    private void recordLagOfHeld() {
        if (source.leases()) {
            recordLag(List.of(), parts.clock.instant());
        }
    }

    /** Whatever waits or runs here has not ended either, and with leases it is not among the rows. */
    private void recordLag(List<RowSource.Row> rows, Instant now) {
        if (parts.metrics == MetricsExporter.NOOP) {
            return;
        }
        Instant held = source.leases() ? link.oldestHeld() : null;
        Stream<Instant> found = rows.stream().map(row -> row.event().createdAt());
        metrics.recordOldestLagMs(Stream.concat(found, Stream.ofNullable(held))
                .mapToLong(createdAt -> ageMs(createdAt, now))
                .max()
                .orElse(0));
    }

    private static long ageMs(Instant createdAt, Instant now) {
        Duration age = Duration.between(createdAt, now);
        return age.compareTo(LONGEST_AGE) > 0 ? LONGEST_AGE.toMillis() : Math.max(0, age.toMillis());
    }

    /** The memory is free again, or soon will be; the next polls read fewer rows. */
    private void readLess(int limit) {
        pace.didNotFit(limit);
        link.rowsDidNotFit();
        schedule.runAfter(PAUSE_AFTER_OUT_OF_MEMORY);
    }

    /** A full batch means that more may be waiting. Without leases the same rows would be found again until they have ended. */
    private void askForMore(HandOver handOver) {
        if (handOver.someLeftOut) {
            schedule.runSoon(); // what lies behind them is found, and they are not
        } else if (source.locks()) {
            link.pollWhenRoomFor(pace.batchSize());
        } else {
            link.pollWhenEnded();
        }
    }

    private HandOver handOver(List<RowSource.Row> rows, Instant now) {
        HandOver handOver = new HandOver(now);
        try {
            handOver.run(rows);
            return handOver;
        } finally {
            afterwards.release(handOver.notTaken);
            afterwards.putOff(handOver.putOff);
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
        /** Others are to deliver it, and later events of its key. Later polls do not find it. */
        LEFT_OUT,
        /** As the one before, but the next polls would find it again. */
        PUT_OFF,
        /** There is no room for it, nor for any other. */
        NO_ROOM
    }

    /** Hands the rows of one batch over, and knows which of them must be given back. */
    private final class HandOver {

        private final List<OutboxEvent> notTaken = new ArrayList<>();
        /** The ids of rows that later ones of their keys must not follow. */
        private final Set<String> blocking = new HashSet<>();
        /** Those of them that are not to be found again soon. */
        private final List<LeaseStore.HeldRetry> putOff = new ArrayList<>();

        private final Instant now;
        /** Whether the next poll would find some of the same rows again. */
        private boolean someStay;
        /** Whether there were some that the next poll leaves out. */
        private boolean someLeftOut;
        /** Whether there were any that are for this process. */
        private boolean some;

        private HandOver(Instant now) {
            this.now = now;
        }

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
            some |= result != Result.LEFT_OUT && result != Result.PUT_OFF;
            someLeftOut |= result == Result.LEFT_OUT;
            if (result != Result.PASSED && result != Result.NO_ROOM) {
                blocking.add(row.event().eventId());
            }
            if (result == Result.PUT_OFF && source.leases() && row.suspicion() == null) {
                putOff.add(later(row.event(), now));
            } else if (result != Result.PASSED && result != Result.HOLDS_KEY && result != Result.NO_ROOM) {
                notTaken.add(row.event());
                someStay |= result != Result.LEFT_OUT;
            }
            return result != Result.NO_ROOM;
        }
    }

    /** For half of its age: the longer it has waited, the less it matters when, and the fewer updates it costs. */
    private static LeaseStore.HeldRetry later(OutboxEvent row, Instant now) {
        long delayMs = Math.max(SHORTEST_PUT_OFF_MS, Math.min(LONGEST_PUT_OFF_MS, ageMs(row.createdAt(), now) / 2));
        return new LeaseStore.HeldRetry(
                row.eventId(), Math.max(0, row.attempts()), Duration.ofMillis(delayMs), RowWords.NO_LISTENER);
    }

    /** A row that cannot be decoded is dealt with here and does not stop those of other keys. */
    private Result offer(RowSource.Row row) {
        PollLink.Reception reception = link.receptionOf(row.event());
        if (reception != PollLink.Reception.TAKEN) {
            return reception == PollLink.Reception.LEFT_OUT ? Result.LEFT_OUT : Result.PUT_OFF;
        }
        EventEnvelope event;
        try {
            event = row.decode(parts.codec);
        } catch (RuntimeException e) {
            someUndecodable = true;
            return switch (undecodable.markDead(row.event(), e)) {
                case ENDED -> Result.PASSED;
                case HOLDS_KEY -> Result.HOLDS_KEY;
                case STAYS -> Result.STAYS;
            };
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
}
