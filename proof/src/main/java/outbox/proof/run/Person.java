package outbox.proof.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.dead.BlockedKeyManager;
import outbox.dead.DeadEventManager;
import outbox.model.BlockedKey;
import outbox.model.EventStatus;
import outbox.proof.database.OutboxTables;
import outbox.proof.history.Fate;
import outbox.proof.process.ProcessSettings;
import outbox.spi.ConnectionProvider;
import outbox.spi.OutboxStore;

/**
 * Looks again and again which accounts a dead event holds; cures and replays it, or discards it. On a thread of its own, because it may
 * have to wait for a lock of a process that is paused.
 */
final class Person implements AutoCloseable {

    private static final long BETWEEN_LOOKS_MILLIS = 100;
    private static final int AT_ONCE = 100;

    /** To a key behind which so many events wait the person comes late, so that the rest has to do without it for a while. */
    private static final int LONG_QUEUE = 500;

    private static final Duration LATE = Duration.ofSeconds(8);

    private final OutboxTables tables;
    private final Path directory;
    private final Map<String, Long> discards = new ConcurrentHashMap<>();
    private final Thread thread = new Thread(this::act, "person");
    private final AtomicInteger replays = new AtomicInteger();
    private final AtomicInteger longestQueue = new AtomicInteger();
    private final Map<String, Long> seenAt = new HashMap<>();
    private volatile boolean enough;

    /** Of the outboxes that hold keys, if there are any. */
    Person(OutboxTables tables, Path directory) {
        this.tables = tables;
        this.directory = directory;
    }

    /** Begins to act. */
    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    /** When which event was discarded. */
    Map<String, Long> discards() {
        return discards;
    }

    /** How often an event was replayed. */
    int replays() {
        return replays.get();
    }

    /** How many events waited behind one that was dead, at most. */
    int longestQueue() {
        return longestQueue.get();
    }

    private void act() {
        while (!enough) {
            for (String outbox : tables.holding()) {
                look(outbox);
            }
            try {
                Thread.sleep(BETWEEN_LOOKS_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void look(String outbox) {
        ConnectionProvider connections = tables.database()::connect;
        OutboxStore store = tables.database().kind().store(outbox);
        BlockedKeyManager blocked = new BlockedKeyManager(connections, store);
        DeadEventManager dead = new DeadEventManager(connections, store);
        try {
            for (BlockedKey key : blocked.query(AT_ONCE)) {
                if (key.status() == EventStatus.DEAD && isTime(key)) {
                    letGoOn(key.eventId(), blocked, dead);
                }
            }
        } catch (SQLException | IOException | RuntimeException e) {
            System.err.println("The person will look again: " + e); // the database may be away
        }
    }

    private boolean isTime(BlockedKey key) {
        longestQueue.accumulateAndGet(key.waiting(), Math::max);
        long now = System.nanoTime();
        long since = now - seenAt.computeIfAbsent(key.eventId(), first -> now);
        return key.waiting() < LONG_QUEUE || since > LATE.toNanos();
    }

    /** What is done is written down before, because the account may go on at once. */
    private void letGoOn(String eventId, BlockedKeyManager blocked, DeadEventManager dead)
            throws SQLException, IOException {
        if (tables.fate(eventId) == Fate.CURABLE) {
            Path cure = ProcessSettings.cure(directory, eventId);
            if (!Files.exists(cure)) {
                Files.createFile(cure);
            }
            if (dead.replay(eventId)) {
                replays.incrementAndGet();
            }
        } else {
            discards.put(eventId, System.nanoTime());
            blocked.discard(eventId);
        }
    }

    @Override
    public void close() {
        rest();
    }

    /** Acts no more. */
    void rest() {
        enough = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
