package outbox.dispatch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
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

    private final ToIntFunction<AggregateKey> length;
    private final Runnable runsLow;
    private final Set<AggregateKey> left = new HashSet<>();
    private final Set<AggregateKey> wanted = new LinkedHashSet<>();

    /**
     * @param length how many events of a key are here
     * @param runsLow called when the next ones of some key should be fetched
     */
    KeysLeft(ToIntFunction<AggregateKey> length, Runnable runsLow) {
        this.length = length;
        this.runsLow = runsLow;
    }

    /** Whether so many events of the key are here that the next ones are left in the table; then they are remembered. */
    boolean isFull(@Nullable AggregateKey key) {
        if (key == null || length.applyAsInt(key) < OrderedStore.LONGEST_LINE) {
            return false;
        }
        add(key);
        return true;
    }

    /** Says that an event of the key waits in the table, for which a poll is asked: it may come too early while many of the key are here. */
    void leftInTable(@Nullable AggregateKey key) {
        if (key != null && length.applyAsInt(key) > FEW) {
            leftInTable(List.of(key));
        }
    }

    /** Says that of these keys more events wait in the table. */
    void leftInTable(Collection<AggregateKey> keys) {
        keys.forEach(this::add);
        keys.forEach(this::lengthChanged);
    }

    private synchronized void add(AggregateKey key) {
        if (left.size() < MOST_KEYS) {
            left.add(key);
        }
    }

    /** Says that fewer events of the key are here than before. */
    void lengthChanged(AggregateKey key) {
        if (isKnown(key) && length.applyAsInt(key) <= FEW && want(key)) {
            runsLow.run();
        }
    }

    private synchronized boolean isKnown(AggregateKey key) {
        return left.contains(key);
    }

    private synchronized boolean want(AggregateKey key) {
        return left.remove(key) && wanted.add(key);
    }

    /** The keys of which the next events should be fetched. Each is named once. */
    synchronized Collection<AggregateKey> takeWanted() {
        List<AggregateKey> taken =
                new ArrayList<>(wanted.stream().limit(MOST_AT_ONCE).toList());
        taken.forEach(wanted::remove);
        return taken;
    }
}
