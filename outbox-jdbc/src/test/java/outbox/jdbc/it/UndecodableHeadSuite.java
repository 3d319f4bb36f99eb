package outbox.jdbc.it;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventListener;
import outbox.dead.BlockedKeyManager;
import outbox.dispatch.Ordering;
import outbox.jdbc.it.Signals.Kind;
import outbox.model.BlockedKey;

import static org.assertj.core.api.Assertions.assertThat;

/** Events in order behind one that cannot be read. */
@Timeout(120)
abstract class UndecodableHeadSuite {

    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private PlainRows table;

    abstract TestedDatabase database();

    @BeforeEach
    void fill() {
        table = PlainRows.shipped(database());
        Map<String, String> head = table.healthy("head", "key", "2024-01-01 00:00:01");
        head.put("headers", table.text("[\"no\", \"headers\"]"));
        table.insert(head);
        table.insert(table.healthy("second", "key", "2024-01-01 00:00:02"));
        table.insert(table.healthy("third", "key", "2024-01-01 00:00:03"));
        table.insert(table.healthy("other", "other key", "2024-01-01 00:00:04"));
    }

    private Node node(EventListener listener) {
        Node node = new Node(
                database().pool(),
                table.fixture().store(),
                settings -> settings.ordering(Ordering.PER_AGGREGATE),
                settings -> settings.claimLocking(Duration.ofMinutes(5)));
        node.listeners.register("Order", "Placed", listener);
        return node;
    }

    @Test
    void wait_for_a_person_if_their_listener_says_so() throws Exception {
        EventListener holding = EventListener.holdingKeyAfterDead(event -> delivered.add(event.eventId()));
        try (Node node = node(holding)) {
            BlockedKeyManager blocked =
                    new BlockedKeyManager(node.connections, table.fixture().store());
            node.poller.poll();
            node.signals.await(Kind.SUCCESS, 1);
            node.poller.poll();
            assertThat(node.signals.count(Kind.DEAD)).isEqualTo(1);
            assertThat(delivered).containsExactly("other");
            assertThat(blocked.query(10)).extracting(BlockedKey::eventId).containsExactly("head");
            assertThat(table.fixture().find("head").lastError()).startsWith("Cannot be decoded: ");
            assertThat(table.fixture().find("second").lockedBy()).isEqualTo("(waits for its key)");

            assertThat(blocked.discard("head")).isTrue();
            node.poller.poll();
            node.signals.await(Kind.SUCCESS, 3);
        }
        assertThat(delivered).containsExactly("other", "second", "third");
    }

    @Test
    void go_on_otherwise() throws Exception {
        try (Node node = node(event -> delivered.add(event.eventId()))) {
            node.poller.start();
            node.signals.await(Kind.SUCCESS, 3);
            assertThat(node.signals.count(Kind.DEAD)).isEqualTo(1);
        }
        assertThat(delivered).containsSubsequence("second", "third").contains("other");
    }
}
