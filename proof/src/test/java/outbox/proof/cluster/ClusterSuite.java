package outbox.proof.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import outbox.proof.SharedServer;
import outbox.proof.database.DatabaseKind;
import outbox.proof.history.Delivery;
import outbox.testservers.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Three processes on one table. */
@Timeout(1200)
abstract class ClusterSuite {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final int NODES = 3;
    private static final String LEASED = "SELECT count(*) FROM outbox_event WHERE locked_by IS NOT NULL";

    private final Form form = Form.ofThisRun();
    private TestDatabase database;
    private Cluster cluster;

    @TempDir
    private Path directory;

    abstract DatabaseKind kind();

    @BeforeEach
    void createTables() throws Exception {
        database = SharedServer.of(kind()).fresh("outbox_cluster");
        cluster = new Cluster(database, kind(), directory, LEASE);
    }

    @AfterEach
    void endNodes() throws Exception {
        cluster.close();
        SharedServer.of(kind()).dropDatabase(database.name());
    }

    @Test
    void without_a_fault_each_event_is_delivered_exactly_once() throws Exception {
        List<NodeProcess> nodes = cluster.startNodes(NODES);
        int each = form.events / NODES / 10 * 10;
        cluster.write(nodes, each, 10);
        cluster.awaitNothingPending();

        assertExactlyOnce(report("no fault"), each * NODES);
        assertThat(cluster.count(LEASED)).isZero();
    }

    @Test
    void kills_lose_nothing_and_repeat_only_what_the_killed_node_had_in_hand() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<NodeProcess> nodes = cluster.startNodes(NODES);
        for (NodeProcess node : nodes) {
            node.writeOn();
        }
        for (int i = 0; i < form.kills; i++) {
            Thread.sleep(random.nextInt(1_000)); // at any moment of the load
            int victim = random.nextInt(NODES);
            nodes.get(victim).kill();
            nodes.set(victim, cluster.startNode());
            nodes.get(victim).writeOn();
        }
        cluster.awaitCommitted(form.eventsPerNode);
        for (NodeProcess node : nodes) {
            node.enough();
        }
        cluster.awaitNothingPending();

        Cluster.Judged judged = report(form.kills + " kills, seed " + seed);
        assertThat(judged.verdict().describe()).isEmpty();
    }

    @Test
    void nodes_whose_clocks_differ_by_twenty_minutes_neither_steal_nor_starve() throws Exception {
        NodeProcess ahead = cluster.launch(node -> node.withClockAhead(Duration.ofMinutes(10)));
        NodeProcess behind = cluster.launch(node -> node.withClockAhead(Duration.ofMinutes(-10)));
        ahead.await("ready");
        behind.await("ready");
        cluster.write(List.of(ahead, behind), form.eventsPerNode, 5);
        cluster.awaitNothingPending();

        assertExactlyOnce(report("clocks"), 2 * form.eventsPerNode);
    }

    @Test
    void a_rolling_restart_under_load_loses_and_repeats_nothing_and_leaves_no_lease() throws Exception {
        List<NodeProcess> nodes = cluster.startNodes(NODES);
        cluster.awaitZero("SELECT " + NODES + " - count(*) FROM outbox_event_node");
        NodeProcess writer = nodes.get(0);
        writer.writeOn();
        for (int i = 1; i < NODES; i++) {
            nodes.get(i).stop();
            nodes.set(i, cluster.startNode());
        }
        cluster.awaitCommitted(form.eventsPerNode);
        writer.enough();
        writer.stop();
        cluster.awaitNothingPending();
        for (int i = 1; i < NODES; i++) {
            nodes.get(i).stop();
        }

        Cluster.Judged judged = report("rolling restart");
        assertExactlyOnce(judged, judged.committed());
        assertThat(cluster.count(LEASED)).isZero();
        assertThat(cluster.count("SELECT count(*) FROM outbox_event_node")).isZero();
    }

    private Cluster.Judged report(String what) throws Exception {
        Cluster.Judged judged = cluster.judge();
        System.out.println("CLUSTER " + kind().label() + ", " + what + ": " + judged.committed() + " committed, "
                + judged.verdict().explainedRepeats() + " repeated by a fault, violations: "
                + judged.verdict().summary());
        return judged;
    }

    private static void assertExactlyOnce(Cluster.Judged judged, int committed) {
        assertThat(judged.verdict().describe()).isEmpty();
        assertThat(judged.isExactlyOnce()).isTrue();
        assertThat(judged.committed()).isEqualTo(committed);
    }

    /** These mostly wait, so they do it side by side. */
    @Nested
    class WhenLeasesExpire {

        /** Not where much is going on: a busy machine may hold up a healthy node for so long. */
        private static final Duration SHORT_LEASE = Duration.ofSeconds(2);

        private static final int INNOCENT = 300;

        @Test
        @Execution(ExecutionMode.CONCURRENT)
        void a_listener_that_runs_much_longer_than_the_lease_is_not_run_twice() throws Exception {
            List<NodeProcess> nodes = startWithShortLeases(2);
            NodeProcess slow = nodes.get(0);
            NodeProcess other = nodes.get(1);
            slow.order("one " + ClusterNodeProgram.SLOW);
            String id = slow.await("in-listener");

            Thread.sleep(SHORT_LEASE.toMillis() * 3); // the time in which it would be taken over
            assertThat(other.deliveries()).extracting(Delivery::eventId).doesNotContain(id);
            slow.order("go-on");
            cluster.awaitNothingPending();
            assertExactlyOnce(report("slow listener"), 1);
        }

        @Test
        @Execution(ExecutionMode.CONCURRENT)
        void the_late_outcome_of_a_node_that_was_paused_beyond_its_lease_is_refused() throws Exception {
            List<NodeProcess> nodes = startWithShortLeases(2);
            NodeProcess paused = nodes.get(0);
            NodeProcess other = nodes.get(1);
            paused.order("one " + ClusterNodeProgram.SLOW);
            String id = paused.await("in-listener");
            paused.pause();

            assertThat(other.await("in-listener")).isEqualTo(id);
            other.order("go-on");
            cluster.awaitNothingPending();
            paused.resume();
            paused.order("go-on");

            awaitTooLate(paused, 1);
            assertThat(cluster.count("SELECT count(*) FROM outbox_event WHERE status = 1 AND attempts = 1"))
                    .as("one delivery was written down, that of the other node")
                    .isEqualTo(1);
        }

        private static void awaitTooLate(NodeProcess node, int expected) throws Exception {
            for (int looks = 0; looks < 100; looks++) {
                node.order("too-late");
                if (Integer.parseInt(node.await("too-late")) == expected) {
                    return;
                }
                Thread.sleep(50); // another process has no latch to wait for
            }
            throw new AssertionError("no outcome was refused");
        }

        @Test
        @Execution(ExecutionMode.CONCURRENT)
        void an_event_that_kills_its_process_ends_dead_and_the_cluster_lives() throws Exception {
            NodeProcess writer = startWithShortLeases(1).get(0);
            writer.order("one " + ClusterNodeProgram.POISON);
            writer.awaitDeath();
            awaitDeaths(3);
            NodeProcess survivor = startWithShortLeases(1).get(0);
            cluster.awaitNothingPending();

            assertThat(survivor.isAlive()).isTrue();
            assertThat(cluster.count("SELECT count(*) FROM outbox_event WHERE status = 3 AND attempts = 3"
                            + " AND last_error LIKE 'Its process ended during each of 3 deliveries%'"))
                    .isEqualTo(1);
        }

        @Test
        @Execution(ExecutionMode.CONCURRENT)
        void an_event_that_kills_its_process_takes_no_other_event_with_it() throws Exception {
            NodeProcess writer = startWithShortLeases(1).get(0);
            writer.order("poisoned " + INNOCENT);
            writer.awaitDeath();
            awaitDeaths(3);
            NodeProcess survivor = startWithShortLeases(1).get(0);
            cluster.awaitNothingPending();

            assertThat(survivor.isAlive()).isTrue();
            assertThat(cluster.count("SELECT count(*) FROM outbox_event WHERE status = 1"))
                    .isEqualTo(INNOCENT);
            assertThat(cluster.count("SELECT count(*) FROM outbox_event WHERE status = 3"))
                    .isEqualTo(1);
        }

        /** The first one could not be written down. */
        private void awaitDeaths(int count) throws Exception {
            for (int deaths = 0; deaths < count; deaths++) {
                startWithShortLeases(1).get(0).awaitDeath();
            }
        }

        private List<NodeProcess> startWithShortLeases(int count) throws Exception {
            return cluster.startNodes(count, node -> node.withLease(SHORT_LEASE));
        }
    }
}
