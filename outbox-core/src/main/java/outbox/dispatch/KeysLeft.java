package outbox.dispatch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.AggregateKey;

/**
 * The keys of which more events wait in the table, because enough of them are here. When only few are left here, a poll is asked for that
 * looks at just these keys, wherever their events lie. What is forgotten here is found by a poll that looks at everything. Thread-safe.
 */
final class KeysLeft {

    /** With so few left, the next ones are fetched, so that workers need not wait for them. */
    private static final int FEW = OrderedStore.LONGEST_LINE / 4;

    /** More are left to polls that look at everything. */
    private static final int MOST_KEYS = 10_000;

    /** How many keys one poll looks at. */
    private static final int MOST_AT_ONCE = 100;

    private final Set<AggregateKey> left = new HashSet<>();
    private final Set<AggregateKey> wanted = new LinkedHashSet<>();

    /** Says that more of the key wait in the table. */
    synchronized void add(AggregateKey key) {
        if (left.size() < MOST_KEYS) {
            left.add(key);
        }
    }

    /** Says how many events of the key are here. Returns whether the next ones should be fetched. */
    synchronized boolean areHere(AggregateKey key, int events) {
        return events <= FEW && left.remove(key) && wanted.add(key);
    }

    /** Takes out what should be fetched. */
    synchronized Collection<AggregateKey> takeWanted() {
        List<AggregateKey> taken =
                new ArrayList<>(wanted.stream().limit(MOST_AT_ONCE).toList());
        taken.forEach(wanted::remove);
        return taken;
    }

    /** Whether nothing is known: the most frequent case, in which nobody has to count events. */
    synchronized boolean isEmpty() {
        return left.isEmpty();
    }
}
