package outbox.testsupport;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.model.ListenerState.BreakerState;
import outbox.spi.MetricsExporter;

/** Keeps every number it is told. */
public class RecordingMetrics implements MetricsExporter {

    /** One report of the queue depth gauges. */
    public record Depths(int hot, int cold) {}

    public final AtomicInteger hotEnqueued = new AtomicInteger();
    public final AtomicInteger hotDropped = new AtomicInteger();
    public final AtomicInteger coldEnqueued = new AtomicInteger();
    public final AtomicInteger success = new AtomicInteger();
    public final AtomicInteger failure = new AtomicInteger();
    public final AtomicInteger dead = new AtomicInteger();
    public final AtomicInteger expired = new AtomicInteger();
    public final AtomicInteger abandoned = new AtomicInteger();
    public final List<String> breakers = new CopyOnWriteArrayList<>();
    public final AtomicInteger tooLate = new AtomicInteger();
    /** What was told of single events, as {@code "WRITTEN type"} and the like. */
    public final List<String> events = new CopyOnWriteArrayList<>();

    public final List<Duration> deliveryTimes = new CopyOnWriteArrayList<>();
    public final List<Depths> depths = new CopyOnWriteArrayList<>();
    /** Run with each report of the depths. */
    public volatile Runnable onDepths = () -> {};

    /** How long events had waited when their first deliveries began. */
    public final Map<Path, Duration> waits = new ConcurrentHashMap<>();

    public final List<Long> lags = new CopyOnWriteArrayList<>();
    public final List<Integer> stuckWorkers = new CopyOnWriteArrayList<>();
    public final List<Integer> waitingRoutes = new CopyOnWriteArrayList<>();

    @Override
    public void recordWaitingRoutes(int routes) {
        waitingRoutes.add(routes);
    }

    @Override
    public void recordStuckWorkers(int workers) {
        stuckWorkers.add(workers);
    }

    public Depths lastDepths() {
        return depths.get(depths.size() - 1);
    }

    @Override
    public void incrementHotEnqueued() {
        hotEnqueued.incrementAndGet();
    }

    @Override
    public void incrementHotDropped() {
        hotDropped.incrementAndGet();
    }

    @Override
    public void incrementColdEnqueued() {
        coldEnqueued.incrementAndGet();
    }

    @Override
    public void incrementDispatchSuccess() {
        success.incrementAndGet();
    }

    @Override
    public void incrementDispatchFailure() {
        failure.incrementAndGet();
    }

    @Override
    public void incrementDispatchDead() {
        dead.incrementAndGet();
    }

    @Override
    public void incrementOutcomeTooLate() {
        tooLate.incrementAndGet();
    }

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {
        depths.add(new Depths(hotDepth, coldDepth));
        onDepths.run();
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        lags.add(lagMs);
    }

    @Override
    public void eventWritten(String eventType) {
        events.add("WRITTEN " + eventType);
    }

    @Override
    public void eventDispatched(String eventType, Result result, Duration time) {
        events.add(result + " " + eventType);
        deliveryTimes.add(time);
    }

    @Override
    public void eventDead(String eventType) {
        events.add("DEAD " + eventType);
    }

    @Override
    public void eventWritten(String eventType, String tenantId) {
        events.add("WRITTEN " + eventType + of(tenantId));
    }

    @Override
    public void eventStarted(String eventType, Path path, Duration waited) {
        waits.put(path, waited);
    }

    @Override
    public void eventDispatched(String eventType, String tenantId, Result result, Duration time) {
        events.add(result + " " + eventType + of(tenantId));
        deliveryTimes.add(time);
    }

    @Override
    public void eventDead(String eventType, String tenantId) {
        events.add("DEAD " + eventType + of(tenantId));
    }

    private static String of(String tenantId) {
        return tenantId == null ? "" : " of " + tenantId;
    }

    @Override
    public void eventExpired(String eventType) {
        expired.incrementAndGet();
    }

    @Override
    public void eventsSuperseded(String eventType, int count) {
        events.add("SUPERSEDED " + count + " " + eventType);
    }

    @Override
    public void callAbandoned(String listener) {
        abandoned.incrementAndGet();
    }

    @Override
    public void recordBreaker(String listener, BreakerState state) {
        breakers.add(listener + " " + state);
    }
}
