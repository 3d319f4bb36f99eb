package outbox.internal.node;

import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.model.NodeMode;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;

class NodeHeartbeatTest {

    private static final Duration INTERVAL = Duration.ofSeconds(15);

    private final CapturedLog log = new CapturedLog();
    private final NodeTable table = new NodeTable();
    private final StubConnections connections = StubConnections.transactional();

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    private NodeHeartbeat node(String owner, NodeMode mode) {
        return new NodeHeartbeat(table.store(), connections, "outbox t", owner, mode);
    }

    private void beats(int count, NodeHeartbeat... nodes) {
        for (int i = 0; i < count; i++) {
            for (NodeHeartbeat node : nodes) {
                assertThat(node.beat()).isTrue();
            }
            table.clock.advance(INTERVAL);
        }
    }

    private List<String> warnings() {
        return log.at(Level.WARNING);
    }

    @Test
    void a_beat_of_an_idle_process_is_one_statement_whatever_its_mode() {
        for (NodeMode mode : NodeMode.values()) {
            NodeHeartbeat node = node("n", mode);
            beats(4, node);
            table.taken();
            beats(8, node);

            assertThat(table.taken())
                    .as("%s", mode)
                    .containsExactly(
                            "neighbours n",
                            "heartbeat n",
                            "heartbeat n",
                            "heartbeat n",
                            "neighbours n",
                            "heartbeat n",
                            "heartbeat n",
                            "heartbeat n");
            node.end();
            table.taken();
        }
    }

    @Test
    void a_process_shows_itself_at_once_and_looks_at_each_beat_of_its_first_minute() {
        NodeHeartbeat node = node("n", NodeMode.LEASES);
        beats(4, node);

        assertThat(table.taken())
                .containsExactly(
                        "heartbeat n",
                        "neighbours n",
                        "heartbeat n",
                        "neighbours n",
                        "heartbeat n",
                        "neighbours n",
                        "heartbeat n",
                        "neighbours n");
    }

    @Test
    void a_process_that_was_shown_is_taken_out_and_one_that_was_not_is_left_alone() {
        NodeHeartbeat node = node("n", NodeMode.LEASES);
        node.end();
        assertThat(table.taken()).isEmpty();
        beats(1, node);
        node.end();

        assertThat(table.owners()).isEmpty();
    }

    @Test
    void without_a_table_that_is_told_once_at_info_without_a_stack_and_nothing_more_is_tried() {
        table.missing = true;
        NodeHeartbeat node = node("n", NodeMode.SINGLE_PROCESS);

        assertThat(node.beat()).isFalse();
        node.end();

        assertThat(table.taken()).containsExactly("heartbeat n");
        assertThat(log.lines()).singleElement().satisfies(line -> {
            assertThat(line.level()).isEqualTo(Level.INFO);
            assertThat(line.text()).isEqualTo("outbox t: Table \"t_node\" is missing");
            assertThat(line.thrown()).isNull();
        });
        assertThat(node.problem()).isNull();
        assertThat(connections.journal()).containsExactly("open", "rollback", "close");
    }

    @Test
    void a_table_that_cannot_be_reached_is_a_warning_once_and_again_after_it_was_reached() {
        NodeHeartbeat node = node("n", NodeMode.LEASES);
        connections.failToOpen(2);
        beats(3, node);
        connections.failToOpen(1);
        node.end();

        assertThat(table.taken()).containsExactly("heartbeat n", "neighbours n");
        assertThat(warnings())
                .containsExactly(
                        "outbox t: this process cannot be shown in the table of nodes",
                        "outbox t: this process cannot be taken out of the table of nodes");
        assertThat(log.at(Level.FINE)).containsExactly("outbox t: this process cannot be shown in the table of nodes");
    }

    @Test
    void a_process_that_leases_nothing_and_its_living_neighbour_are_told_on_both_sides_once() {
        NodeHeartbeat single = node("single", NodeMode.SINGLE_PROCESS);
        NodeHeartbeat leasing = node("leasing", NodeMode.LEASES);
        beats(20, single);
        assertThat(warnings()).isEmpty();
        beats(20, single, leasing);

        assertThat(warnings())
                .hasSize(2)
                .satisfiesOnlyOnce(line -> assertThat(line)
                        .startsWith("outbox t: This process leases nothing")
                        .contains("leasing (leases)"));
        assertThat(warnings())
                .satisfiesOnlyOnce(line -> assertThat(line)
                        .startsWith("outbox t: Somebody delivers from the same table and leases nothing")
                        .contains("single (single process)"));
        assertThat(single.problem()).contains("leasing (leases)");
        assertThat(leasing.problem()).contains("single (single process)");
    }

    @Test
    void whoever_comes_last_notices_at_the_next_beat_and_the_other_within_two_minutes() {
        NodeHeartbeat single = node("single", NodeMode.SINGLE_PROCESS);
        NodeHeartbeat leasing = node("leasing", NodeMode.ORDERED);
        beats(9, leasing);
        beats(2, leasing, single);
        assertThat(single.problem()).isNotNull();
        beats(6, leasing, single);

        assertThat(leasing.problem()).isNotNull();
    }

    @Test
    void a_conflict_ends_with_the_neighbour_and_a_new_one_is_told_again() {
        NodeHeartbeat single = node("single", NodeMode.SINGLE_PROCESS);
        NodeHeartbeat other = node("other", NodeMode.SINGLE_PROCESS);
        beats(4, single, other);
        assertThat(single.problem()).isNotNull();
        other.end();
        beats(1, single);
        assertThat(single.problem()).isNull();
        log.lines().forEach(line -> assertThat(line.level()).isEqualTo(Level.WARNING));
        int told = warnings().size();

        beats(8, single, node("third", NodeMode.LEASES));

        assertThat(single.problem()).contains("third");
        assertThat(warnings()).hasSize(told + 2);
    }

    @Test
    void a_neighbour_that_falls_silent_is_no_problem_after_a_minute() {
        NodeHeartbeat single = node("single", NodeMode.SINGLE_PROCESS);
        beats(4, single, node("other", NodeMode.LEASES));
        assertThat(single.problem()).isNotNull();

        beats(5, single);

        assertThat(single.problem()).isNull();
    }

    @Test
    void a_predecessor_that_died_silently_alarms_nobody() {
        beats(3, node("died", NodeMode.SINGLE_PROCESS));
        NodeHeartbeat restarted = node("restarted", NodeMode.SINGLE_PROCESS);
        NodeHeartbeat leasing = node("leasing", NodeMode.LEASES);
        beats(10, leasing);
        assertThat(leasing.problem()).isNull();
        leasing.end();
        beats(1, node("died too", NodeMode.LEASES));

        beats(20, restarted);

        assertThat(log.lines()).isEmpty();
        assertThat(restarted.problem()).isNull();
    }

    @Test
    void processes_that_lease_are_no_problem_to_each_other() {
        beats(
                20,
                node("a", NodeMode.LEASES),
                node("b", NodeMode.ORDERED),
                node("c", NodeMode.SINGLE_ACTIVE),
                node("d", NodeMode.ORDERED_SINGLE_ACTIVE));

        assertThat(log.lines()).isEmpty();
    }

    @Test
    void in_a_table_without_modes_the_process_that_must_be_alone_notices_any_neighbour() {
        table.withoutMode = true;
        NodeHeartbeat single = node("single", NodeMode.SINGLE_PROCESS);
        NodeHeartbeat leasing = node("leasing", NodeMode.LEASES);

        beats(8, single, leasing);

        assertThat(single.problem()).contains("leasing (of an unknown mode)");
        assertThat(leasing.problem()).isNull();
        assertThat(warnings()).hasSize(1);
    }
}
