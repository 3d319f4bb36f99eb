package outbox.testsupport;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import outbox.EventEnvelope;
import outbox.spi.CompactionStore;
import outbox.spi.LeaseStore.HeldRetry;

/** Committed rows in the order of their inserts, of which only the newest of a line matters; keeps a journal of the calls. */
public final class CompactedRows implements CompactionStore {

    private static final class Row {
        private final Line line;
        private boolean leased;
        private boolean told;
        private boolean ended;

        private Row(Line line) {
            this.line = line;
        }
    }

    private final Map<String, Row> rows = new LinkedHashMap<>();
    private final List<String> calls = new ArrayList<>();
    private final BlockingQueue<Line> sweeps = new LinkedBlockingQueue<>();
    private final Set<String> failingKeys;
    private volatile Runnable beforeSweep = () -> {};

    /** @param failingKeys aggregate ids whose lines cannot be swept */
    public CompactedRows(String... failingKeys) {
        this.failingKeys = Set.of(failingKeys);
    }

    public static Line lineOf(EventEnvelope event) {
        return new Line(event.aggregateType(), Objects.requireNonNull(event.aggregateId()), event.eventType());
    }

    public synchronized void add(EventEnvelope... events) {
        for (EventEnvelope event : events) {
            rows.put(event.eventId(), new Row(lineOf(event)));
        }
    }

    /** Somebody is about to deliver them. */
    public synchronized void lease(String... ids) {
        for (String id : ids) {
            rows.get(id).leased = true;
        }
    }

    /** They were delivered. */
    public synchronized void deliver(String... ids) {
        for (String id : ids) {
            rows.get(id).ended = true;
        }
    }

    /** Runs before each sweep, in the thread that sweeps. */
    public void beforeSweep(Runnable action) {
        beforeSweep = action;
    }

    public synchronized Set<String> pending() {
        return idsOf(row -> !row.ended);
    }

    /** Those whose rows say that they are superseded. */
    public synchronized Set<String> told() {
        return idsOf(row -> row.told);
    }

    public synchronized List<String> calls() {
        return List.copyOf(calls);
    }

    /** Waits for the next sweep to begin. */
    public Line nextSweep() throws InterruptedException {
        return Objects.requireNonNull(sweeps.poll(10, TimeUnit.SECONDS), "nothing was swept");
    }

    private Set<String> idsOf(Predicate<Row> which) {
        return rows.entrySet().stream()
                .filter(row -> which.test(row.getValue()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    @Override
    public synchronized Map<String, Place> places(Connection conn, Collection<String> eventIds) {
        return rows.entrySet().stream()
                .filter(row -> eventIds.contains(row.getKey()) && !row.getValue().ended)
                .collect(Collectors.toMap(Map.Entry::getKey, row -> placeOf(row.getKey())));
    }

    private Place placeOf(String eventId) {
        Row asked = rows.get(eventId);
        boolean older = false;
        boolean newer = false;
        boolean passed = false;
        for (Row row : rows.values()) {
            boolean other = row != asked && !row.ended && row.line.equals(asked.line);
            older |= other && !passed;
            newer |= other && passed;
            passed |= row == asked;
        }
        return new Place(newer || asked.told, older);
    }

    @Override
    public int sweep(Connection conn, Line line, boolean tellsLeased) {
        sweeps.add(line);
        beforeSweep.run();
        synchronized (this) {
            calls.add("sweep " + line.aggregateId() + (tellsLeased ? " and tell" : ""));
            if (failingKeys.contains(line.aggregateId())) {
                throw new IllegalStateException("cannot sweep " + line.aggregateId());
            }
            List<String> superseded = rows.keySet().stream()
                    .filter(id -> rows.get(id).line.equals(line) && !rows.get(id).ended)
                    .filter(id -> placeOf(id).superseded())
                    .toList();
            superseded.forEach(id -> rows.get(id).told |= tellsLeased && rows.get(id).leased);
            List<Row> free = superseded.stream()
                    .map(rows::get)
                    .filter(row -> !row.leased)
                    .toList();
            free.forEach(row -> row.ended = true);
            return free.size();
        }
    }

    @Override
    public Set<String> markSuperseded(Connection conn, String ownerId, List<String> eventIds) {
        return end("markSuperseded " + RecordingLeases.nameOf(ownerId) + " " + eventIds, eventIds);
    }

    @Override
    public Set<String> markRetry(Connection conn, String ownerId, List<HeldRetry> retries) {
        List<String> ids = retries.stream().map(HeldRetry::eventId).toList();
        String attempts = retries.stream()
                .map(retry -> retry.eventId() + " after " + retry.attempts())
                .collect(Collectors.joining(", "));
        return end("markRetry " + RecordingLeases.nameOf(ownerId) + " " + attempts, ids);
    }

    /** Ends leases; returns the ids of those that were not leased any more. */
    private synchronized Set<String> end(String call, List<String> ids) {
        calls.add(call);
        Set<String> late = ids.stream().filter(id -> !rows.get(id).leased).collect(Collectors.toSet());
        ids.forEach(id -> rows.get(id).leased = false);
        return late;
    }

    @Override
    public synchronized void checkSchema(Connection conn) {
        calls.add("checkSchema");
    }
}
