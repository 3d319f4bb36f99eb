package outbox.proof.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import outbox.proof.history.Delivery;

/** Which node was the active one when, by what the nodes themselves have written down. */
final class Activity {

    /**
     * What a node has written down.
     *
     * @param activity see {@link RecordedRelayLock}
     */
    record Witness(List<LockJournal.Entry> activity, List<Delivery> deliveries) {}

    /**
     * A time in which a node was the active one: it held the lock not later than at the first moment and not earlier than at the
     * last. So two that overlap prove that two nodes held it at once, and two that do not are no accident of measuring.
     *
     * @param from when the first yes was there
     * @param until when the last question was asked that was answered with yes
     */
    private record Tenure(int node, long from, long until) {}

    private final List<Witness> nodes;
    private final List<Tenure> tenures = new ArrayList<>();

    Activity(List<Witness> nodes) {
        this.nodes = nodes;
        for (int node = 0; node < nodes.size(); node++) {
            readTenures(node);
        }
        tenures.sort(Comparator.comparingLong(Tenure::from));
    }

    private void readTenures(int node) {
        long asked = 0;
        Tenure current = null;
        for (LockJournal.Entry entry : nodes.get(node).activity()) {
            switch (entry.text()) {
                case RecordedRelayLock.ASKED -> asked = entry.nanos();
                case RecordedRelayLock.HELD ->
                    current = new Tenure(node, current == null ? entry.nanos() : current.from, asked);
                default -> {
                    add(current);
                    current = null;
                }
            }
        }
        add(current);
    }

    private void add(Tenure tenure) {
        if (tenure != null) {
            tenures.add(tenure);
        }
    }

    int tenures() {
        return tenures.size();
    }

    /** How often a node was the active one before the last one had ceased to be it. */
    int overlaps() {
        int overlaps = 0;
        for (int i = 1; i < tenures.size(); i++) {
            if (tenures.get(i - 1).until > tenures.get(i).from) {
                overlaps++;
            }
        }
        return overlaps;
    }

    /** The longest time from one of the given moments to the beginning of the next tenure. */
    Duration longestVacancy(List<Long> moments) {
        long longest = 0;
        for (long moment : moments) {
            long next = tenures.stream()
                    .mapToLong(Tenure::from)
                    .filter(from -> from > moment)
                    .min()
                    .orElseThrow(() -> new AssertionError("after the lock was lost no node became the active one"));
            longest = Math.max(longest, next - moment);
        }
        return Duration.ofNanos(longest);
    }

    /** The longest time for which a node still delivered after it was last told that it is the active one. */
    Duration longestRemainder() {
        long longest = 0;
        for (int node = 0; node < nodes.size(); node++) {
            for (Delivery delivery : nodes.get(node).deliveries()) {
                longest = Math.max(longest, delivery.start() - lastProof(node, delivery.start()));
            }
        }
        return Duration.ofNanos(longest);
    }

    private long lastProof(int node, long moment) {
        Tenure tenure = tenures.stream()
                .filter(each -> each.node == node && each.from <= moment)
                .reduce((earlier, later) -> later)
                .orElseThrow(() -> new AssertionError("a node delivered that never was the active one"));
        return Math.min(tenure.until, moment);
    }
}
