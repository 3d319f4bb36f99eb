package outbox.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.SafeLog;
import outbox.model.ListenerState.BreakerState;
import outbox.spi.MetricsExporter;

/** Passes everything on to an exporter and logs what that throws: losing a number must not lose an event. */
public final class GuardedMetrics implements MetricsExporter {

    private static final Logger LOG = SafeLog.of(GuardedMetrics.class);

    private final MetricsExporter exporter;

    private GuardedMetrics(MetricsExporter exporter) {
        this.exporter = exporter;
    }

    /** Guards the given exporter, unless it ignores everything. */
    public static MetricsExporter of(MetricsExporter exporter) {
        return exporter == MetricsExporter.NOOP ? exporter : new GuardedMetrics(exporter);
    }

    @Override
    public void incrementHotEnqueued() {
        report(exporter::incrementHotEnqueued);
    }

    @Override
    public void incrementHotDropped() {
        report(exporter::incrementHotDropped);
    }

    @Override
    public void incrementColdEnqueued() {
        report(exporter::incrementColdEnqueued);
    }

    @Override
    public void incrementDispatchSuccess() {
        report(exporter::incrementDispatchSuccess);
    }

    @Override
    public void incrementDispatchFailure() {
        report(exporter::incrementDispatchFailure);
    }

    @Override
    public void incrementDispatchDead() {
        report(exporter::incrementDispatchDead);
    }

    @Override
    public void incrementOutcomeTooLate() {
        report(exporter::incrementOutcomeTooLate);
    }

    @Override
    public void recordStuckWorkers(int workers) {
        report(() -> exporter.recordStuckWorkers(workers));
    }

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {
        report(() -> exporter.recordQueueDepths(hotDepth, coldDepth));
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        report(() -> exporter.recordOldestLagMs(lagMs));
    }

    @Override
    public void eventWritten(String eventType) {
        report(() -> exporter.eventWritten(eventType));
    }

    @Override
    public void eventDispatched(String eventType, Result result, Duration time) {
        report(() -> exporter.eventDispatched(eventType, result, time));
    }

    @Override
    public void eventDead(String eventType) {
        report(() -> exporter.eventDead(eventType));
    }

    @Override
    public void recordWaitingRoutes(int routes) {
        report(() -> exporter.recordWaitingRoutes(routes));
    }

    @Override
    public void eventWritten(String eventType, @Nullable String tenantId) {
        report(() -> exporter.eventWritten(eventType, tenantId));
    }

    @Override
    public void eventStarted(String eventType, Path path, Duration waited) {
        report(() -> exporter.eventStarted(eventType, path, waited));
    }

    @Override
    public void eventDispatched(String eventType, @Nullable String tenantId, Result result, Duration time) {
        report(() -> exporter.eventDispatched(eventType, tenantId, result, time));
    }

    @Override
    public void eventDead(String eventType, @Nullable String tenantId) {
        report(() -> exporter.eventDead(eventType, tenantId));
    }

    @Override
    public void recordBreaker(String listener, BreakerState state) {
        report(() -> exporter.recordBreaker(listener, state));
    }

    @Override
    public void callAbandoned(String listener) {
        report(() -> exporter.callAbandoned(listener));
    }

    @Override
    public void eventsSuperseded(String eventType, int events) {
        report(() -> exporter.eventsSuperseded(eventType, events));
    }

    @Override
    public void eventExpired(String eventType) {
        report(() -> exporter.eventExpired(eventType));
    }

    private static void report(Runnable number) {
        try {
            number.run();
        } catch (Throwable e) {
            LOG.log(Level.WARNING, "MetricsExporter failed", e);
        }
    }
}
