package outbox.jdbc.store;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import outbox.jdbc.store.KeyLines.Line;
import outbox.jdbc.store.KeyLines.Member;
import outbox.spi.LeaseStore.Taken;
import outbox.spi.OrderedStore.Run;

/** What of the lines of keys is wanted, and what was won of them. */
final class LineRuns {

    private LineRuns() {}

    /** Leaves no more free events than wanted. */
    static List<Line> cut(List<Line> lines, int limit) {
        List<Line> cut = new ArrayList<>();
        int left = limit;
        for (Line line : lines) {
            List<Member> part = new ArrayList<>();
            for (Member member : line.open()) {
                if (!member.mine() && left-- <= 0) {
                    break;
                }
                part.add(member);
            }
            boolean whole = part.size() == line.open().size();
            cut.add(new Line(part, whole && line.more(), List.of(), null));
        }
        return cut;
    }

    /** What was locked, up to the first gap, in one piece between any two events that the owner holds already. */
    static List<Run> of(Line line, Map<String, Taken> locked) {
        List<Run> runs = new ArrayList<>();
        Set<String> before = new LinkedHashSet<>();
        boolean newRun = true;
        for (Member member : line.open()) {
            if (!member.mine()) {
                Taken taken = locked.get(member.eventId());
                if (taken == null) {
                    break;
                }
                if (newRun) {
                    runs.add(new Run(new ArrayList<>(), new LinkedHashSet<>(before), line.more()));
                }
                boolean isFirst = before.isEmpty();
                runs.get(runs.size() - 1).events().add(isFirst ? taken : new Taken(taken.event(), null));
            }
            newRun = member.mine();
            before.add(member.eventId());
        }
        return runs;
    }
}
