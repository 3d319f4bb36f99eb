package outbox.poller;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import outbox.internal.text.ContentMask;
import outbox.internal.text.ErrorText;
import outbox.internal.text.FoldedFailures;
import outbox.internal.text.LoggedError;
import outbox.internal.text.RowWords;
import outbox.internal.text.SafeLog;
import outbox.internal.text.StoredText;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.OutboxEvent;
import outbox.spi.MetricsExporter;

/** Marks rows DEAD that cannot be decoded. Used by one poll at a time. */
final class UndecodableRows {

    private static final Logger LOG = SafeLog.of(OutboxPoller.class);

    private final PollRound.Parts parts;
    private final MetricsExporter metrics;
    private final PollLink link;
    private final RowSource source;
    private final FoldedFailures folded = new FoldedFailures(LOG, System::nanoTime);

    UndecodableRows(PollRound.Parts parts, MetricsExporter metrics, PollLink link, RowSource source) {
        this.parts = parts;
        this.metrics = metrics;
        this.link = link;
        this.source = source;
    }

    /** Tells of those that were not told, if the time for it has come. */
    void tick() {
        folded.tick();
    }

    /** Tells of all that were not told. */
    void close() {
        folded.close();
    }

    /** What became of a row. */
    enum End {
        /** It lets later events of its key follow. */
        ENDED,
        /** Later events of its key must not follow. */
        HOLDS_KEY,
        /** It is still in the table. */
        STAYS
    }

    End markDead(OutboxEvent row, RuntimeException problem) {
        // The problem may be a codec's, which sees the headers and may quote them.
        ContentMask content = ContentMask.of(row);
        log(row, problem, content);
        String error = ErrorText.limit(RowWords.cannotBeDecoded(ErrorText.of(problem, content)));
        boolean holdsKey = source.isOrdered() && row.aggregateId() != null && link.holdsKeyWhenDead(row);
        try {
            if (!ShortTransaction.run(parts.connections(), conn -> mark(conn, row, error, holdsKey))) {
                return End.STAYS; // another node has it by now, or it has ended
            }
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.ERROR,
                    "Cannot mark " + parts.names().of(row) + " DEAD; the next poll will try again",
                    LoggedError.of(e));
            return End.STAYS;
        }
        metrics.incrementDispatchDead();
        metrics.eventDead(row.eventType(), row.tenantId());
        return holdsKey ? End.HOLDS_KEY : End.ENDED;
    }

    private boolean mark(Connection conn, OutboxEvent row, String error, boolean holdsKey) throws SQLException {
        return link.tellsOfDead(row)
                ? ShortTransaction.atomically(conn, transaction -> markAndTell(transaction, row, error, holdsKey))
                : source.markDead(conn, row, error, holdsKey);
    }

    private boolean markAndTell(Connection conn, OutboxEvent row, String error, boolean holdsKey) {
        boolean marked = source.markDead(conn, row, error, holdsKey);
        if (marked) {
            link.markedDead(conn, row, error, holdsKey);
        }
        return marked;
    }

    private void log(OutboxEvent row, RuntimeException problem, ContentMask content) {
        String what = "events of type \"" + StoredText.inOneLine(String.valueOf(row.eventType()))
                + "\" cannot be decoded and are DEAD";
        long others = folded.next(FoldedFailures.Kind.of(Level.ERROR, what, problem));
        String text = parts.names().of(row) + " cannot be decoded and is marked DEAD";
        if (others == FoldedFailures.COUNTED) {
            LOG.log(Level.DEBUG, text);
        } else {
            LOG.log(Level.ERROR, text + FoldedFailures.more(others), LoggedError.of(problem, content));
        }
    }
}
