package outbox.testsupport;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.OutboxStore;

/** An in-memory table that keeps a journal of the calls and fails when told to. */
public class RecordingStore implements OutboxStore {

    static final class Row {
        final OutboxEvent event;
        EventStatus status = EventStatus.NEW;
        int attempts;
        Instant availableAt = Instant.MIN;
        String error;
        String lockedBy;
        Instant lockedAt;

        private Row(OutboxEvent event) {
            this.event = event;
            this.attempts = event.attempts();
        }

        boolean isPending() {
            return status == EventStatus.NEW || status == EventStatus.RETRY;
        }

        OutboxEvent read() {
            return new OutboxEvent(
                    event.eventId(),
                    event.eventType(),
                    event.aggregateType(),
                    event.aggregateId(),
                    event.tenantId(),
                    event.payloadJson(),
                    event.headersJson(),
                    attempts,
                    event.createdAt());
        }
    }

    final Map<String, Row> rows = new LinkedHashMap<>();
    private final List<String> calls = new ArrayList<>();
    private final List<String> groups = new ArrayList<>();
    private final Set<String> refused = new HashSet<>();
    private final Set<String> lockedElsewhere = new HashSet<>();
    private volatile boolean skipsLocked = true;
    final BlockingQueue<String> marks = new LinkedBlockingQueue<>();
    private int failures;
    private Throwable failure = new IllegalStateException("store is broken");
    private volatile Runnable afterRead = () -> {};
    private volatile Runnable beforeGroup = () -> {};

    public final synchronized RecordingStore add(OutboxEvent... events) {
        for (OutboxEvent event : events) {
            rows.put(event.eventId(), new Row(event));
        }
        return this;
    }

    public final RecordingStore add(String... ids) {
        for (String id : ids) {
            add(Events.row(id));
        }
        return this;
    }

    /** The next calls fail, whatever they are. */
    public final synchronized RecordingStore failNext(int times) {
        failures = times;
        return this;
    }

    public final synchronized RecordingStore failWith(Throwable failure) {
        this.failure = failure;
        failures = Integer.MAX_VALUE;
        return this;
    }

    /** Every mark of that event fails, and with it the group it is in. */
    public final synchronized RecordingStore refuse(String id) {
        refused.add(id);
        return this;
    }

    /** Somebody else has locked the row of that event: its marks, and the groups it is in, run into a time limit. */
    public final synchronized RecordingStore lockElsewhere(String... ids) {
        lockedElsewhere.addAll(List.of(ids));
        return this;
    }

    /** Ends such locks. */
    public final synchronized RecordingStore unlockElsewhere(String... ids) {
        lockedElsewhere.removeAll(List.of(ids));
        return this;
    }

    /** A database that cannot skip locked rows. */
    public final RecordingStore withoutSkipLocked() {
        skipsLocked = false;
        return this;
    }

    @Override
    public final boolean canSkipLocked(Connection conn) {
        return skipsLocked;
    }

    @Override
    public final synchronized Set<String> lockOrSkip(Connection conn, Collection<String> eventIds) {
        groups.add("lockOrSkip " + List.copyOf(eventIds));
        return eventIds.stream().filter(lockedElsewhere::contains).collect(Collectors.toSet());
    }

    /** Ends {@link #refuse}. */
    public final synchronized RecordingStore accept(String id) {
        refused.remove(id);
        return this;
    }

    /** Runs before a group of marks is written, in the thread that writes it. */
    public final void beforeGroup(Runnable action) {
        beforeGroup = action;
    }

    /** Runs after pending rows were read and before they are returned, as if a slow network were in between. */
    public final void afterRead(Runnable action) {
        afterRead = action;
    }

    public final synchronized List<String> calls() {
        return List.copyOf(calls);
    }

    /** The groups of marks that were asked for, written or not: the method and the ids. */
    public final synchronized List<String> groups() {
        return List.copyOf(groups);
    }

    /** How often the pending rows were read or claimed. */
    public final synchronized long reads() {
        return calls.stream()
                .filter(call -> call.startsWith("pollPending") || call.startsWith("claimPending"))
                .count();
    }

    public final synchronized boolean contains(String id) {
        return rows.containsKey(id);
    }

    public final synchronized EventStatus status(String id) {
        return rows.get(id).status;
    }

    public final synchronized int attempts(String id) {
        return rows.get(id).attempts;
    }

    public final synchronized String error(String id) {
        return rows.get(id).error;
    }

    public final synchronized Instant availableAt(String id) {
        return rows.get(id).availableAt;
    }

    public final synchronized String lockedBy(String id) {
        return rows.get(id).lockedBy;
    }

    public final synchronized long count(EventStatus status) {
        return rows.values().stream().filter(row -> row.status == status).count();
    }

    /** Waits for the next call of a mark method, and returns it. */
    public final String nextMark() throws InterruptedException {
        return Objects.requireNonNull(marks.poll(10, TimeUnit.SECONDS), "no mark came");
    }

    @Override
    public synchronized void insertNew(Connection conn, EventEnvelope event) {
        called("insertNew " + event.eventId());
        insert(event);
    }

    @Override
    public synchronized void insertBatch(Connection conn, List<EventEnvelope> events) {
        called("insertBatch " + events.stream().map(EventEnvelope::eventId).toList());
        events.forEach(this::insert);
    }

    final void insert(EventEnvelope event) {
        add(new OutboxEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                event.payloadJson(),
                null,
                0,
                event.occurredAt()));
    }

    @Override
    public synchronized int markDone(Connection conn, String eventId) {
        return mark("markDone", eventId, row -> row.status = EventStatus.DONE);
    }

    @Override
    public synchronized int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        return mark("markRetry", eventId, row -> {
            row.status = EventStatus.RETRY;
            row.attempts++;
            row.availableAt = nextAt;
            row.error = error;
        });
    }

    @Override
    public synchronized int putOffAll(Connection conn, List<Retry> events) {
        return events.stream()
                .mapToInt(event -> mark("putOff", event.eventId(), row -> {
                    row.status = EventStatus.RETRY;
                    row.availableAt = event.nextAt();
                    row.error = event.error();
                }))
                .sum();
    }

    @Override
    public synchronized int markDead(Connection conn, String eventId, String error) {
        return mark("markDead", eventId, row -> {
            row.status = EventStatus.DEAD;
            row.error = error;
        });
    }

    @Override
    public int markDoneAll(Connection conn, List<String> eventIds) {
        group("markDoneAll", eventIds);
        return OutboxStore.super.markDoneAll(conn, eventIds);
    }

    @Override
    public int markRetryAll(Connection conn, List<Retry> retries) {
        group("markRetryAll", retries.stream().map(Retry::eventId).toList());
        return OutboxStore.super.markRetryAll(conn, retries);
    }

    @Override
    public int markDeadAll(Connection conn, List<Dead> dead) {
        group("markDeadAll", dead.stream().map(Dead::eventId).toList());
        return OutboxStore.super.markDeadAll(conn, dead);
    }

    @Override
    public boolean canDelete() {
        return true;
    }

    @Override
    public int deleteAll(Connection conn, List<String> eventIds) {
        group("deleteAll", eventIds);
        int deleted = 0;
        for (String id : eventIds) {
            deleted += delete(id);
        }
        return deleted;
    }

    private synchronized int delete(String eventId) {
        int changed = mark("delete", eventId, row -> {});
        if (changed == 1) {
            rows.remove(eventId);
        }
        return changed;
    }

    private void group(String call, List<String> eventIds) {
        synchronized (this) {
            groups.add(call + " " + eventIds);
        }
        beforeGroup.run();
    }

    @Override
    public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        called("pollPending now=" + now + " skipRecent=" + skipRecent + " limit=" + limit);
        return pending(row -> !row.availableAt.isAfter(now), limit);
    }

    @Override
    public List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        called("claimPending owner=" + ownerId + " now=" + now + " expiry=" + lockExpiry + " skipRecent=" + skipRecent
                + " limit=" + limit);
        return pending(
                row -> {
                    boolean free = row.lockedBy == null || row.lockedAt.isBefore(lockExpiry);
                    if (free && !row.availableAt.isAfter(now)) {
                        row.lockedBy = ownerId;
                        row.lockedAt = now;
                        return true;
                    }
                    return false;
                },
                limit);
    }

    final List<OutboxEvent> pending(Predicate<Row> take, int limit) {
        List<OutboxEvent> found = new ArrayList<>();
        synchronized (this) {
            for (Row row : rows.values()) {
                if (found.size() < limit && row.isPending() && take.test(row)) {
                    found.add(row.read());
                }
            }
        }
        afterRead.run();
        return found;
    }

    @Override
    public synchronized int releaseClaims(Connection conn, String ownerId, Collection<String> eventIds) {
        called("releaseClaims owner=" + ownerId + " " + List.copyOf(eventIds));
        int released = 0;
        for (String id : eventIds) {
            Row row = rows.get(id);
            if (row != null && ownerId.equals(row.lockedBy)) {
                row.lockedBy = null;
                released++;
            }
        }
        return released;
    }

    @Override
    public synchronized Optional<OutboxEvent> event(Connection conn, String eventId) {
        called("event " + eventId);
        return Optional.ofNullable(rows.get(eventId)).map(Row::read);
    }

    @Override
    public synchronized List<OutboxEvent> queryDead(
            Connection conn, String eventType, String aggregateType, int limit) {
        called("queryDead " + eventType + " " + aggregateType + " " + limit);
        return rows.values().stream()
                .filter(row -> row.status == EventStatus.DEAD)
                .filter(row -> eventType == null || eventType.equals(row.event.eventType()))
                .filter(row -> aggregateType == null || aggregateType.equals(row.event.aggregateType()))
                .limit(limit)
                .map(Row::read)
                .toList();
    }

    @Override
    public synchronized int replayDead(Connection conn, String eventId) {
        called("replayDead " + eventId);
        Row row = rows.get(eventId);
        if (row == null || row.status != EventStatus.DEAD) {
            return 0;
        }
        row.status = EventStatus.NEW;
        row.attempts = 0;
        row.error = null;
        return 1;
    }

    @Override
    public synchronized int countDead(Connection conn, String eventType) {
        called("countDead " + eventType);
        return (int) rows.values().stream()
                .filter(row -> row.status == EventStatus.DEAD)
                .filter(row -> eventType == null || eventType.equals(row.event.eventType()))
                .count();
    }

    @Override
    public synchronized void checkSchema(Connection conn) {
        called("checkSchema");
    }

    private int mark(String call, String eventId, Consumer<Row> change) {
        marks.add(call + " " + eventId);
        called(call + " " + eventId);
        if (refused.contains(eventId)) {
            throw new IllegalStateException(eventId + " is refused");
        }
        if (lockedElsewhere.contains(eventId)) {
            throw new OutboxException("cannot mark", new SQLException("cancelled", "57014"));
        }
        Row row = rows.get(eventId);
        if (row == null || !row.isPending()) {
            return 0;
        }
        change.accept(row);
        row.lockedBy = null;
        return 1;
    }

    final synchronized void called(String call) {
        calls.add(call);
        if (failures > 0) {
            failures--;
            throwUnchecked(failure);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwUnchecked(Throwable failure) throws T {
        throw (T) failure;
    }
}
