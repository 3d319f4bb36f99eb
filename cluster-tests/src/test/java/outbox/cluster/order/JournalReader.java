package outbox.cluster.order;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import outbox.cluster.order.Delivery.Result;
import outbox.cluster.order.OrderJournal.Line;

/** Makes deliveries and faults of the lines of a journal. */
final class JournalReader {

    private final List<Delivery> deliveries = new ArrayList<>();
    private final List<Fault> faults = new ArrayList<>();
    private final Map<String, Integer> discarded = new HashMap<>();
    private final Map<String, Line> running = new HashMap<>();
    private final Map<String, Long> idleSince = new HashMap<>();
    private final Map<String, Line> paused = new HashMap<>();
    private int replays;

    static JournalReader read(List<Line> lines) {
        JournalReader reader = new JournalReader();
        lines.forEach(reader::take);
        return reader;
    }

    History history(List<CommittedEvent> events) {
        return new History(events, List.copyOf(deliveries), List.copyOf(faults), Map.copyOf(discarded));
    }

    int replays() {
        return replays;
    }

    long count(Fault.Kind kind) {
        return faults.stream().filter(fault -> fault.kind() == kind).count();
    }

    private void take(Line line) {
        switch (line.what()) {
            case START -> running.put(thread(line), line);
            case END -> end(line);
            case KILLED -> killed(line);
            case PAUSED -> paused.put(line.node(), line);
            case RESUMED ->
                fault(line, Fault.Kind.PAUSE, paused.remove(line.node()).millis());
            case STALLED ->
                fault(line, Fault.Kind.STALL, Long.parseLong(line.details().get(0)));
            case DISCARDED -> discarded.put(line.details().get(0), line.place());
            case REPLAYED -> replays++;
        }
    }

    private void end(Line end) {
        Line start = running.remove(thread(end));
        add(start, end, Result.valueOf(end.details().get(2)));
        idleSince.put(thread(end), end.millis());
    }

    private void killed(Line death) {
        Line pause = paused.remove(death.node());
        fault(death, Fault.Kind.KILL, pause == null ? death.millis() : pause.millis());
        for (Iterator<Line> all = running.values().iterator(); all.hasNext(); ) {
            Line start = all.next();
            if (start.node().equals(death.node())) {
                add(start, death, Result.CUT_OFF);
                all.remove();
            }
        }
    }

    private void fault(Line end, Fault.Kind kind, long fromMillis) {
        faults.add(new Fault(end.node(), kind, fromMillis, end.millis()));
    }

    private void add(Line start, Line end, Result result) {
        deliveries.add(new Delivery(
                start.details().get(1),
                start.node(),
                start.details().get(0),
                start.place(),
                end.place(),
                start.millis(),
                end.millis(),
                idleSince.getOrDefault(thread(start), 0L),
                result));
    }

    private static String thread(Line line) {
        return line.node() + "/" + line.details().get(0);
    }
}
