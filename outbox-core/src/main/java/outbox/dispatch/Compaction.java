package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.outcome.Completion;
import outbox.internal.task.PeriodicTask;
import outbox.internal.task.ThreadNames;
import outbox.internal.text.EventNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.spi.CompactionStore;
import outbox.spi.CompactionStore.Line;
import outbox.spi.CompactionStore.Place;
import outbox.spi.ConnectionProvider;
import outbox.spi.MetricsExporter;
import outbox.spi.OrderedStore;

/**
 * Sees to it that of some types only the newest event of a key is delivered. The table is asked right before each delivery: it alone knows what
 * is committed, and by whom. Whoever is about to deliver the newest event ends the older ones that nobody has leased. Without order the others may be
 * about to begin, and nobody would know of the newest one any more once that has ended: so their rows are told before it begins.
 *
 * <p>In order the newest event may have to wait for an older one that is to be repeated later. So that one is also ended when a newer one is
 * committed here. And an event that has failed is looked at at once, whether it still matters. That is done on a thread of its own. Thread-safe.
 */
final class Compaction implements AutoCloseable {

    /** What is used for that. */
    record Parts(
            CompactionStore store,
            @Nullable OrderedStore order,
            ConnectionProvider connections,
            MetricsExporter metrics,
            EventNames names) {}

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);
    private static final Duration NEVER = Duration.ofDays(365);

    /** Of more lines the newest event waits until the older one is due. */
    private static final int MOST_LINES = 10_000;

    private final Parts parts;
    private final Set<String> types;
    private final Runnable someEnded;
    private final PeriodicTask task;

    /** Lines to be swept, each with an event of it; guarded by its monitor. */
    private final Map<Line, String> wanted = new LinkedHashMap<>();

    /**
     * @param table for the name of the thread; null if unknown
     * @param someEnded told when events that were in the way of others have ended
     */
    Compaction(Parts parts, Set<String> types, @Nullable String table, Runnable someEnded) {
        this.parts = parts;
        this.types = Set.copyOf(types);
        this.someEnded = someEnded;
        this.task =
                new PeriodicTask("Compaction", ThreadNames.prefix("compaction", table), () -> NEVER, this::sweepWanted);
    }

    /** Whether only the newest event of its key matters. One without a key always matters. */
    boolean concerns(EventEnvelope event) {
        return event.aggregateId() != null && types.contains(event.eventType());
    }

    void checkSchema(Connection conn) {
        parts.store.checkSchema(conn);
    }

    /** How an event stands that is about to be delivered. */
    enum Standing {
        CURRENT,
        SUPERSEDED,
        /** The table could not be asked, or the event is not in it: it must not be delivered now. */
        UNKNOWN
    }

    /** What is known of events that are about to be delivered. */
    record Known(Set<String> current, Set<String> superseded) {

        /** Of events of which nothing was asked. */
        static final Known NOTHING = new Known(Set.of(), Set.of());

        Standing standingOf(EventEnvelope event) {
            if (superseded.contains(event.eventId())) {
                return Standing.SUPERSEDED;
            }
            return current.contains(event.eventId()) ? Standing.CURRENT : Standing.UNKNOWN;
        }
    }

    /** Asks how events stand that are about to be delivered. */
    Known ask(Collection<EventEnvelope> events) {
        Map<String, Line> lines = events.stream()
                .filter(this::concerns)
                .collect(Collectors.toMap(EventEnvelope::eventId, Compaction::lineOf, (one, other) -> one));
        if (lines.isEmpty()) {
            return Known.NOTHING;
        }
        try {
            return ShortTransaction.run(parts.connections, conn -> ask(conn, lines));
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "Cannot ask which events of " + parts.names.ofTable() + " are superseded; they wait",
                    LoggedError.of(e));
            return Known.NOTHING;
        }
    }

    private Known ask(Connection conn, Map<String, Line> lines) {
        Map<String, Place> places = parts.store.places(conn, lines.keySet());
        Set<String> current = new HashSet<>();
        Set<String> superseded = new HashSet<>();
        Set<Line> crowded = new HashSet<>();
        places.forEach((id, place) -> {
            (place.superseded() ? superseded : current).add(id);
            if (place.superseded() || place.olderWait()) {
                crowded.add(Objects.requireNonNull(lines.get(id)));
            }
        });
        for (Line line : crowded) {
            count(line, parts.store.sweep(conn, line, parts.order == null));
        }
        return new Known(current, superseded);
    }

    private void count(Line line, int ended) {
        if (ended > 0) {
            parts.metrics.eventsSuperseded(line.eventType(), ended);
            LOG.log(Level.DEBUG, "{0} event(s) of {1} were superseded", ended, line);
        }
    }

    private static Line lineOf(EventEnvelope event) {
        return new Line(event.aggregateType(), Objects.requireNonNull(event.aggregateId()), event.eventType());
    }

    /**
     * An event was committed, in front of which another one may wait to be repeated. Without order it does not have to wait for that, and whoever
     * delivers it sweeps.
     */
    void committed(EventEnvelope event) {
        if (parts.order != null && concerns(event)) {
            sweepSoon(lineOf(event), event.eventId());
        }
    }

    /** An event is to be repeated, behind which a newer one may wait, or which a newer one has overtaken. */
    void repeats(Completion completion) {
        String aggregateId = completion.aggregateId();
        if (aggregateId != null && concerns(completion)) {
            sweepSoon(new Line(completion.aggregateType(), aggregateId, completion.eventType()), completion.eventId());
        }
    }

    /** As {@link #concerns(EventEnvelope)}. */
    boolean concerns(Completion completion) {
        return completion.aggregateId() != null && types.contains(completion.eventType());
    }

    private void sweepSoon(Line line, String eventId) {
        if (task.isClosed()) {
            return;
        }
        synchronized (wanted) {
            if (wanted.size() < MOST_LINES) {
                wanted.put(line, eventId);
            }
        }
        try {
            task.start();
            task.runSoon();
        } catch (Throwable e) {
            // Closed meanwhile, or there is no thread to be had: a business transaction must not fail for that.
            LOG.log(
                    Level.DEBUG,
                    "Superseded events are not swept; each is found before its delivery",
                    LoggedError.of(e));
        }
    }

    private void sweepWanted() {
        Map<Line, String> lines;
        synchronized (wanted) {
            lines = new LinkedHashMap<>(wanted);
            wanted.clear();
        }
        boolean some = false;
        for (Map.Entry<Line, String> line : lines.entrySet()) {
            some |= sweep(line.getKey(), line.getValue());
        }
        if (some) {
            someEnded.run();
        }
    }

    /** Two transactions: what was put off behind the ended ones is brought back once these are known to have ended. */
    private boolean sweep(Line line, String eventId) {
        try {
            int ended = ShortTransaction.run(parts.connections, conn -> parts.store.sweep(conn, line, false));
            count(line, ended);
            OrderedStore order = parts.order;
            if (ended > 0 && order != null) {
                ShortTransaction.run(parts.connections, conn -> order.bringBack(conn, List.of(eventId)));
            }
            return ended > 0;
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.DEBUG,
                    "Cannot end superseded events of " + parts.names.ofTable() + " yet; they end when they are due",
                    LoggedError.of(e));
            return false;
        }
    }

    @Override
    public void close() {
        task.close();
    }
}
