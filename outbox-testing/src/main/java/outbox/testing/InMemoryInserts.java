package outbox.testing;

import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import outbox.DuplicateEventException;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.WriteReceipt;
import outbox.internal.text.StoredText;

/** Inserts into the table in memory: no id gets there twice, and nobody sees an event whose transaction has not committed. */
final class InMemoryInserts {

    /** How long a writer waits for another one that has not ended. */
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(30);

    private final InMemoryTable table;
    private final Clock clock;
    /** Who has inserted the events that are not committed. */
    private final Map<String, Optional<Connection>> writers = new HashMap<>();

    private long lastSeq;

    InMemoryInserts(InMemoryTable table, Clock clock) {
        this.table = table;
        this.clock = clock;
    }

    void insertAll(Connection conn, List<EventEnvelope> events) {
        events.forEach(event -> insert(conn, event));
    }

    void insert(Connection conn, EventEnvelope event) {
        synchronized (table) {
            String id = event.eventId();
            if (table.row(id) != null) {
                throw new OutboxException(
                        "Event id " + StoredText.inOneLine(id)
                                + " is already there. An event id is written once; where work"
                                + " may be repeated, write with enqueue(event, DuplicatePolicy.IGNORE), which keeps the event that is"
                                + " there",
                        null);
            }
            table.put(NewRow.of(event, lastSeq + 1, clock));
            lastSeq++;
            writers.put(id, Optional.ofNullable(conn));
            InMemoryConnection.whenEnded(conn, () -> show(id), () -> remove(id));
        }
    }

    List<WriteReceipt> insertOnce(Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        synchronized (table) {
            List<WriteReceipt> receipts = new ArrayList<>();
            events.forEach(event -> receipts.add(insertOnce(conn, event)));
            if (policy == DuplicatePolicy.FAIL) {
                refuseDuplicates(receipts);
            }
            return receipts;
        }
    }

    private WriteReceipt insertOnce(Connection conn, EventEnvelope event) {
        String id = event.eventId();
        awaitEndOfOtherWriter(conn, id);
        StoredRow there = table.row(id);
        if (there != null) {
            return WriteReceipt.alreadyThere(id, OptionalLong.of(there.seq()));
        }
        insert(conn, event);
        return WriteReceipt.written(id, OptionalLong.of(lastSeq));
    }

    private void refuseDuplicates(List<WriteReceipt> receipts) {
        List<String> there = receipts.stream()
                .filter(WriteReceipt::alreadyThere)
                .map(WriteReceipt::eventId)
                .distinct()
                .toList();
        if (!there.isEmpty()) {
            receipts.stream().filter(receipt -> !receipt.alreadyThere()).forEach(receipt -> remove(receipt.eventId()));
            throw new DuplicateEventException(there, "in memory");
        }
    }

    /** As a database does: only the end of the other transaction tells whether the event is there. */
    private void awaitEndOfOtherWriter(Connection conn, String id) {
        long deadline = System.nanoTime() + LOCK_TIMEOUT.toNanos();
        while (writers.containsKey(id) && !writers.get(id).equals(Optional.ofNullable(conn))) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new OutboxException(
                        "Event id " + id + " was written by another transaction, which did not end within "
                                + LOCK_TIMEOUT,
                        null);
            }
            try {
                table.wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new OutboxException("Interrupted while another transaction had written event id " + id, e);
            }
        }
    }

    private void show(String id) {
        synchronized (table) {
            table.show(id);
            ended(id);
        }
    }

    private void remove(String id) {
        synchronized (table) {
            table.remove(id);
            ended(id);
        }
    }

    private void ended(String id) {
        writers.remove(id);
        table.notifyAll();
    }
}
