package outbox.dead;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.OutboxException;
import outbox.model.BlockedKey;
import outbox.model.EventStatus;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore.HeldDead;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.KeyedEvents;
import outbox.testsupport.ManualClock;
import outbox.testsupport.OrderedTable;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class BlockedKeyManagerTest {

    private final StubConnections connections = StubConnections.transactional();
    private final OrderedTable table = new OrderedTable(new ManualClock("2026-01-01T00:00:00Z"));
    private final BlockedKeyManager manager = new BlockedKeyManager(connections, table);

    @AfterEach
    void nothingIsLeftOpen() {
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void the_store_tells_which_keys_are_blocked() {
        List<BlockedKey> blocked = manager.query(7);

        assertThat(blocked).containsExactly(new BlockedKey("Order", "1", "a", EventStatus.DEAD, 3, "no", 2));
        assertThat(table.calls()).containsExactly("order.blockedKeys 7");
        assertThat(connections.journal()).containsExactly("open", "commit", "close");
    }

    @Test
    void a_key_goes_on_without_the_event_that_holds_it_and_only_once() {
        table.add(KeyedEvents.rowOf("1", "a"));
        table.lock("a", "node-1");
        table.leases().markDead(null, "node-1", List.of(new HeldDead("a", "no", true)));

        assertThat(manager.discard("a")).isTrue();
        assertThat(table.isUnfinished("a")).isFalse();
        assertThat(table.status("a")).isEqualTo(EventStatus.DEAD);
        assertThat(manager.discard("a")).isFalse();
        assertThat(manager.discard("unknown")).isFalse();
    }

    /** Whoever discards it must not be told that it failed, and the key goes on, if late. */
    @Test
    void an_event_is_discarded_also_if_what_waits_for_it_cannot_be_brought_back() {
        table.add(KeyedEvents.rowOf("1", "a"));
        table.lock("a", "node-1");
        table.leases().markDead(null, "node-1", List.of(new HeldDead("a", "no", true)));
        AtomicInteger polls = new AtomicInteger();
        AtomicInteger opened = new AtomicInteger();
        ConnectionProvider away = () -> {
            if (opened.incrementAndGet() > 1) {
                throw new SQLException("gone");
            }
            return connections.getConnection();
        };

        try (CapturedLog log = new CapturedLog()) {
            assertThat(new BlockedKeyManager(away, table, polls::incrementAndGet).discard("a"))
                    .isTrue();
            assertThat(log.at(Level.WARNING))
                    .singleElement()
                    .asString()
                    .startsWith("Cannot bring back what waited for events that were replayed or discarded");
        }
        assertThat(table.isUnfinished("a")).isFalse();
        assertThat(polls).hasValue(1);
    }

    @Test
    void a_store_that_keeps_no_order_is_refused() {
        assertThatThrownBy(() -> new BlockedKeyManager(connections, new RecordingStore()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("outbox.testsupport.RecordingStore does not keep events in order");
        assertThatThrownBy(() -> new BlockedKeyManager(null, table)).hasMessage("connectionProvider");
    }

    @Test
    void nonsense_is_refused_before_the_database_is_asked() {
        assertThatThrownBy(() -> manager.query(0)).hasMessage("limit must be >= 1, was 0");
        assertThatThrownBy(() -> manager.discard(null)).hasMessage("eventId");
        assertThat(connections.journal()).isEmpty();
    }

    @Test
    void a_database_that_is_away_is_named_with_what_was_wanted() {
        connections.failToOpen(2);

        assertThatThrownBy(() -> manager.query(1))
                .isInstanceOf(OutboxException.class)
                .hasMessage("Cannot list blocked keys")
                .hasCauseInstanceOf(SQLException.class);
        assertThatThrownBy(() -> manager.discard("a"))
                .isInstanceOf(OutboxException.class)
                .hasMessage("Cannot discard event a");
    }
}
