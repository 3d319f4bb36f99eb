package outbox.internal.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.model.OutboxFigures;
import outbox.model.OutboxHealth;
import outbox.model.Relaying;
import outbox.model.TableFigures;

/** Judges what is known of a table: whether its events are delivered by anybody, and whether there is room for more. */
public final class TableHealth {

    private final String table;
    private final Duration oldestPendingLimit;
    private final TableWatch watch;
    private final PendingGate gate;

    /** @param oldestPendingLimit how long an event may be due while nobody is known to deliver */
    public TableHealth(String table, Duration oldestPendingLimit, TableWatch watch, PendingGate gate) {
        this.table = table;
        this.oldestPendingLimit = oldestPendingLimit;
        this.watch = watch;
        this.gate = gate;
    }

    /**
     * Adds what the table says.
     *
     * @param process the health of this process
     */
    public OutboxHealth with(OutboxHealth process) {
        return process.and(judged(watch.known(), process.figures().relaying()));
    }

    private OutboxHealth judged(TableWatch.Known known, Relaying here) {
        TableFigures figures = known.figures();
        Relaying relaying = relaying(here, figures);
        List<String> problems = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        addIfAny(problems, gate.problem());
        addIfAny(warnings, gate.warning());
        if (figures != null) {
            boolean relays = relaying == Relaying.SOMEBODY;
            addIfAny(relays ? warnings : problems, tooOld(figures, relaying));
            addIfAny(warnings, relaying == Relaying.NOBODY ? nobody(figures) : null);
        } else if (known.failure() != null) {
            boolean forLong = known.failing().compareTo(oldestPendingLimit) > 0;
            (forLong ? problems : warnings)
                    .add("Table " + table + " could not be asked what waits in it: " + known.failure());
        }
        return new OutboxHealth(problems, warnings, new OutboxFigures(null, null, 0, relaying, figures));
    }

    private static Relaying relaying(Relaying here, @Nullable TableFigures figures) {
        if (here == Relaying.SOMEBODY || figures == null || figures.nodes() == null) {
            return here;
        }
        return figures.nodes() > 0 ? Relaying.SOMEBODY : Relaying.NOBODY;
    }

    private @Nullable String tooOld(TableFigures figures, Relaying relaying) {
        Duration oldest = figures.oldestPending();
        if (oldest == null || oldest.compareTo(oldestPendingLimit) <= 0) {
            return null;
        }
        String who = switch (relaying) {
            case SOMEBODY -> "although somebody delivers";
            case NOBODY -> "and nobody delivers: start a process that does";
            case UNKNOWN -> "and it is unknown whether anybody delivers";
        };
        return "An event in table " + table + " has been due for " + oldest.toSeconds() + " s, longer than "
                + oldestPendingLimit.toSeconds() + " s, " + who;
    }

    /** Nothing is wrong as long as there is nothing to do, or not for long. */
    private @Nullable String nobody(TableFigures figures) {
        Duration oldest = figures.oldestPending();
        return oldest == null || oldest.compareTo(oldestPendingLimit) > 0
                ? null
                : "Nobody delivers the events of table " + table + ", and one is due";
    }

    private static void addIfAny(List<String> all, @Nullable String one) {
        if (one != null) {
            all.add(one);
        }
    }
}
