package outbox.internal.lease;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.spi.LeaseStore;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;

class NodeHeartbeatTest {

    private static final Duration INTERVAL = Duration.ofSeconds(15);

    private final CapturedLog log = new CapturedLog();
    private final ManualNanos nanos = new ManualNanos();
    private final StubConnections connections = StubConnections.transactional();
    private final List<String> calls = new ArrayList<>();
    private final LeaseStore register = (LeaseStore) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {LeaseStore.class}, (proxy, method, args) -> {
                calls.add(method.getName() + " " + args[1]);
                return null;
            });
    private final NodeHeartbeat heartbeat = new NodeHeartbeat(register, connections, nanos);

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void the_first_beat_comes_at_once_and_the_next_after_its_interval() {
        heartbeat.beat("node-1");
        heartbeat.beat("node-1");
        nanos.advance(INTERVAL.minusNanos(1));
        heartbeat.beat("node-1");
        assertThat(calls).containsExactly("heartbeat node-1");
        nanos.advance(Duration.ofNanos(1));
        heartbeat.beat("node-1");

        assertThat(calls).containsExactly("heartbeat node-1", "heartbeat node-1");
        assertThat(connections.journal()).containsExactly("open", "commit", "close", "open", "commit", "close");
    }

    @Test
    void a_node_that_was_shown_is_taken_out_and_one_that_was_not_is_left_alone() {
        heartbeat.end("node-1");
        assertThat(calls).isEmpty();
        heartbeat.beat("node-1");
        heartbeat.end("node-1");

        assertThat(calls).containsExactly("heartbeat node-1", "forgetNode node-1");
    }

    @Test
    void a_register_that_cannot_be_reached_is_a_warning_once_and_again_after_it_was_reached() {
        connections.failToOpen(2);
        for (int i = 0; i < 3; i++) {
            heartbeat.beat("node-1");
            nanos.advance(INTERVAL);
        }
        connections.failToOpen(1);
        heartbeat.end("node-1");

        assertThat(calls).containsExactly("heartbeat node-1");
        assertThat(log.at(Level.WARNING))
                .containsExactly(
                        "This node cannot be shown in the register of nodes",
                        "This node cannot be taken out of the register of nodes");
        assertThat(log.at(Level.FINE)).containsExactly("This node cannot be shown in the register of nodes");
    }
}
