package outbox.poller;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Hands the rows of one batch over, one after another, and knows which of them must be given back. */
final class HandOver {

    /** What became of a row. */
    enum Fate {
        /** It is on its way, or has ended so that others may follow. */
        GONE,
        /** It has ended, and nothing of its key may follow. */
        HOLDS_KEY,
        /** It has neither ended nor gone, and nothing of its key may go before it. */
        STAYS,
        /** There is no room for it, nor for any other. */
        NO_ROOM
    }

    private final List<RowSource.Row> back = new ArrayList<>();
    private final Set<String> stopped = new HashSet<>();
    private int seen;
    private boolean stays;

    /** Goes through the rows until there is no more room, or it is told to stop. */
    void run(List<RowSource.Row> rows, BooleanSupplier goesOn, Function<RowSource.Row, Fate> each) {
        try {
            while (seen < rows.size() && goesOn.getAsBoolean() && next(rows.get(seen), each)) {
                seen++;
            }
        } finally {
            stays |= seen < rows.size();
            back.addAll(rows.subList(seen, rows.size()));
        }
    }

    private boolean next(RowSource.Row row, Function<RowSource.Row, Fate> each) {
        if (row.ahead().stream().anyMatch(stopped::contains)) {
            stop(row);
            back.add(row);
            return true;
        }
        Fate fate = each.apply(row);
        if (fate == Fate.HOLDS_KEY || fate == Fate.STAYS) {
            stop(row);
        }
        if (fate == Fate.STAYS) {
            back.add(row);
            stays = true;
        }
        return fate != Fate.NO_ROOM;
    }

    private void stop(RowSource.Row row) {
        stopped.add(row.event().eventId());
    }

    /** What nobody took, and is not to be kept from others. */
    List<RowSource.Row> back() {
        return back;
    }

    /** Whether all have gone that could: another look may find more, and would not find the same. */
    boolean isComplete() {
        return !stays;
    }
}
