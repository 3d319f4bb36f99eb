package outbox.proof.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Ends the session of whichever node is the active one, again and again, while all nodes write. */
final class FailOvers {

    /** Documented: the others try once a second. The rest is for a machine that is busy. */
    private static final Duration LONGEST_VACANCY = Duration.ofSeconds(5);

    /** Documented: the active one asks once a second. The rest is for what it has in its queues, and a machine that is busy. */
    private static final Duration LONGEST_REMAINDER = Duration.ofSeconds(5);

    private static final int EVENTS_BETWEEN = 300;

    private final Cluster cluster;
    private final List<NodeProcess> nodes;
    private final List<Long> terminations = new ArrayList<>();

    FailOvers(Cluster cluster, List<NodeProcess> nodes) {
        this.cluster = cluster;
        this.nodes = nodes;
    }

    void run(int count, String what) throws Exception {
        RelayLockHolder holder = new RelayLockHolder(cluster);
        for (NodeProcess node : nodes) {
            node.writeOn();
        }
        for (int i = 0; i < count; i++) {
            cluster.awaitMoreCommitted(EVENTS_BETWEEN);
            terminations.add(holder.terminate());
        }
        holder.await();
        cluster.awaitMoreCommitted(EVENTS_BETWEEN);
        for (NodeProcess node : nodes) {
            node.enough();
        }
        cluster.awaitNothingPending();
        for (NodeProcess node : nodes) {
            node.stop();
        }
        assertOneAtATime(what);
    }

    private void assertOneAtATime(String what) throws Exception {
        List<Activity.Witness> witnesses = new ArrayList<>();
        for (NodeProcess node : nodes) {
            witnesses.add(new Activity.Witness(node.activity(), node.deliveries()));
        }
        Activity activity = new Activity(witnesses);
        Duration vacancy = activity.longestVacancy(terminations);
        Duration remainder = activity.longestRemainder();
        Cluster.Judged judged = cluster.judge();
        System.out.println("CLUSTER " + what + ", lock lost " + terminations.size() + " times: " + judged.committed()
                + " committed, "
                + activity.tenures() + " tenures, " + activity.overlaps() + " overlap, vacant for at most "
                + vacancy.toMillis() + " ms, delivered for at most " + remainder.toMillis()
                + " ms after the last proof");

        assertThat(activity.overlaps()).isZero();
        assertThat(activity.tenures()).isGreaterThan(terminations.size());
        assertThat(vacancy).isLessThan(LONGEST_VACANCY);
        assertThat(remainder).isLessThan(LONGEST_REMAINDER);
        assertThat(judged.verdict().describe()).isEmpty();
        assertThat(judged.isExactlyOnce()).isTrue();
        assertThat(judged.committed()).isGreaterThan(EVENTS_BETWEEN * terminations.size());
    }
}
