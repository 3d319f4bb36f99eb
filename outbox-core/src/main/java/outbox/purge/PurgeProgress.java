package outbox.purge;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.LongSupplier;
import outbox.spi.PurgeRuns.Batch;
import outbox.spi.PurgeRuns.Expiry;

/** Logs how a run is getting on: now and then while it lasts, and the total at its end. */
final class PurgeProgress {

    static final Duration INTERVAL = Duration.ofMinutes(1);

    private final Logger log;
    private final Expiry expiry;
    private final LongSupplier nanoTime;
    private final long startedAt;
    private long toldAt;
    private long deleted;

    PurgeProgress(Logger log, Expiry expiry, LongSupplier nanoTime) {
        this.log = log;
        this.expiry = expiry;
        this.nanoTime = nanoTime;
        this.startedAt = nanoTime.getAsLong();
        this.toldAt = startedAt;
    }

    void add(Batch batch) {
        deleted += batch.deleted();
        long now = nanoTime.getAsLong();
        if (batch.more() && now - toldAt >= INTERVAL.toNanos()) {
            toldAt = now;
            log.log(
                    Level.INFO,
                    "Purging for {0}: {1} event(s) so far{2}",
                    Duration.ofNanos(now - startedAt),
                    deleted,
                    batch.position() == null ? "" : ", now at " + batch.position());
        }
    }

    void end() {
        if (deleted > 0) {
            log.log(Level.INFO, "Purged {0} finished event(s) {1}", deleted, Retention.describe(expiry));
        }
    }
}
