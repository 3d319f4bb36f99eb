package outbox.boot.autoconfigure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.Outbox;
import outbox.model.OutboxEvent;
import outbox.model.OutboxFigures;
import outbox.model.OutboxHealth;
import outbox.model.TableFigures;

/** What is told of an outbox to people and probes: names, numbers and reasons, never a payload. */
public final class OutboxReport {

    private static final int MOST = 20;

    private OutboxReport() {}

    /**
     * The health of several outboxes.
     *
     * @param healthy whether none of them has a problem
     * @param details what is known of each
     */
    public record AllHealth(boolean healthy, Map<String, Object> details) {}

    /** The health of outboxes, by the names of their beans. */
    public static AllHealth healthOf(Map<String, Outbox> outboxes) {
        boolean healthy = true;
        Map<String, Object> details = new LinkedHashMap<>();
        for (Map.Entry<String, Outbox> one : outboxes.entrySet()) {
            OutboxHealth health = one.getValue().health();
            healthy &= health.healthy();
            details.put(one.getKey(), health(health));
        }
        return new AllHealth(healthy, details);
    }

    /** What health knows; asks the database at most once in 20 seconds. */
    private static Map<String, Object> health(OutboxHealth health) {
        Map<String, Object> report = new LinkedHashMap<>();
        put(report, "problems", health.problems().isEmpty() ? null : health.problems());
        put(report, "warnings", health.warnings().isEmpty() ? null : health.warnings());
        OutboxFigures figures = health.figures();
        put(report, "relaying", figures.relaying());
        put(report, "lastPoll", figures.lastPoll());
        put(report, "lastDelivery", figures.lastDelivery());
        put(report, "stuckDeliveries", figures.stuckDeliveries());
        TableFigures table = figures.table();
        if (table != null) {
            put(report, "oldestPending", table.oldestPending());
            put(report, "dead", table.dead());
            put(report, "heldKeys", table.heldKeys());
            put(report, "nodes", table.nodes());
            put(report, "pending", table.pending());
        }
        return report;
    }

    /** All that can be told; asks the database. */
    static Map<String, Object> full(Outbox outbox) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("table", outbox.name());
        report.put("running", outbox.isRunning());
        report.put("health", health(outbox.health()));
        report.put("listeners", outbox.listeners());
        report.put("nodes", outbox.nodes());
        report.put("pauses", outbox.pauses().list());
        report.put("deadCount", outbox.deadEvents().count(null));
        report.put(
                "oldestDead",
                outbox.deadEvents().query(null, null, MOST).stream()
                        .map(OutboxReport::dead)
                        .toList());
        report.put(
                "heldKeys",
                outbox.store().ordered() == null
                        ? List.of()
                        : outbox.blockedKeys().query(MOST));
        return report;
    }

    private static Map<String, Object> dead(OutboxEvent event) {
        Map<String, Object> report = new LinkedHashMap<>();
        put(report, "eventId", event.eventId());
        put(report, "eventType", event.eventType());
        put(report, "aggregateType", event.aggregateType());
        put(report, "aggregateId", event.aggregateId());
        put(report, "attempts", event.attempts());
        put(report, "createdAt", event.createdAt());
        return report;
    }

    private static void put(Map<String, Object> report, String name, @Nullable Object value) {
        if (value != null) {
            report.put(name, value);
        }
    }
}
