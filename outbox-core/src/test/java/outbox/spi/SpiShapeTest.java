package outbox.spi;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.WriterHook;
import outbox.dispatch.EventInterceptor;
import outbox.dispatch.InFlightTracker;
import outbox.dispatch.RetryPolicy;
import outbox.model.OutboxEvent;
import outbox.poller.OutboxPollerHandler;
import outbox.util.JsonCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testsupport.Events.event;
import static outbox.testsupport.Events.row;

/** What others implement must not grow abstract methods: that would break them. */
class SpiShapeTest {

    /** A store of somebody who knows only the five methods that must be implemented. */
    private static final class MinimalStore implements OutboxStore {
        private final List<String> inserted = new ArrayList<>();
        private final List<String> marked = new ArrayList<>();

        @Override
        public void insertNew(Connection conn, EventEnvelope event) {
            inserted.add(event.eventId());
        }

        @Override
        public int markDone(Connection conn, String eventId) {
            marked.add("DONE " + eventId);
            return eventId.equals("gone") ? 0 : 1;
        }

        @Override
        public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
            marked.add("RETRY " + eventId + " " + nextAt + " " + error);
            return eventId.equals("gone") ? 0 : 1;
        }

        @Override
        public int markDead(Connection conn, String eventId, String error) {
            marked.add("DEAD " + eventId + " " + error);
            return eventId.equals("gone") ? 0 : 1;
        }

        @Override
        public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
            return List.of(row(now + " " + skipRecent + " " + limit));
        }
    }

    private final MinimalStore store = new MinimalStore();

    @Test
    void the_store_has_five_methods_to_implement() {
        assertThat(abstractMethods(OutboxStore.class))
                .containsExactlyInAnyOrder("insertNew", "markDone", "markRetry", "markDead", "pollPending");
    }

    @Test
    void the_other_ports_keep_their_size() {
        assertThat(abstractMethods(MetricsExporter.class)).hasSize(8);
        assertThat(abstractMethods(TxContext.class)).hasSize(4);
        assertThat(abstractMethods(InFlightTracker.class)).hasSize(2);
        assertThat(abstractMethods(JsonCodec.class)).containsExactlyInAnyOrder("toJson", "parseObject");
        assertThat(abstractMethods(WriterHook.class)).isEmpty();
        assertThat(abstractMethods(EventInterceptor.class)).isEmpty();
    }

    @Test
    void functional_ports_have_one_method() {
        assertThat(Stream.of(
                        RetryPolicy.class,
                        EventListener.class,
                        ConnectionProvider.class,
                        OutboxPollerHandler.class,
                        EventPurger.class))
                .allSatisfy(port -> assertThat(abstractMethods(port)).hasSize(1));
    }

    @Test
    void a_batch_is_inserted_one_by_one_by_default() {
        store.insertBatch(null, List.of(event("a"), event("b")));

        assertThat(store.inserted).containsExactly("a", "b");
    }

    @Test
    void a_group_is_marked_one_by_one_by_default_and_what_changed_is_counted() {
        assertThat(store.markDoneAll(null, List.of("a", "gone", "b"))).isEqualTo(2);
        assertThat(store.markRetryAll(
                        null,
                        List.of(
                                new OutboxStore.Retry("c", Instant.EPOCH, "no"),
                                new OutboxStore.Retry("gone", Instant.EPOCH, "no"))))
                .isEqualTo(1);
        assertThat(store.markDeadAll(
                        null, List.of(new OutboxStore.Dead("d", "never"), new OutboxStore.Dead("gone", "never"))))
                .isEqualTo(1);

        assertThat(store.marked)
                .containsExactly(
                        "DONE a",
                        "DONE gone",
                        "DONE b",
                        "RETRY c 1970-01-01T00:00:00Z no",
                        "RETRY gone 1970-01-01T00:00:00Z no",
                        "DEAD d never",
                        "DEAD gone never");
    }

    @Test
    void a_store_that_cannot_delete_says_so() {
        assertThat(store.canDelete()).isFalse();
        assertThatThrownBy(() -> store.deleteAll(null, List.of("a")))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("MinimalStore does not override deleteAll");
    }

    @Test
    void a_handler_that_knows_nothing_of_wake_ups_is_left_alone() {
        OutboxPollerHandler handler = (event, attempts) -> true;
        handler.link().connect(null);
        handler.link().pollWhenRoomFor(1);
        handler.link().pollWhenEnded();
    }

    @Test
    void a_claim_falls_back_to_a_plain_poll() {
        Instant now = Instant.EPOCH;

        assertThat(store.claimPending(null, "owner", now, now, Duration.ZERO, 7))
                .containsExactly(row("1970-01-01T00:00:00Z PT0S 7"));
        assertThat(store.releaseClaims(null, "owner", List.of("a"))).isZero();
        store.checkSchema(null);
    }

    @Test
    void a_store_that_cannot_handle_dead_events_says_so() {
        assertThatThrownBy(() -> store.queryDead(null, null, null, 1))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("MinimalStore does not override queryDead");
        assertThatThrownBy(() -> store.replayDead(null, "a")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> store.countDead(null, null)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> store.countBacklog(null, 1)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> store.countDeadUpTo(null, 1))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("MinimalStore does not override countDeadUpTo");
        assertThatThrownBy(() -> store.overview(null, 1, 1))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("MinimalStore does not override overview");
        assertThatThrownBy(store::clearingErrors).isInstanceOf(UnsupportedOperationException.class);
        assertThat(store.tableName()).isNull();
    }

    @Test
    void the_noop_exporter_ignores_everything() {
        MetricsExporter metrics = MetricsExporter.NOOP;
        metrics.incrementHotEnqueued();
        metrics.incrementHotDropped();
        metrics.incrementColdEnqueued();
        metrics.incrementDispatchSuccess();
        metrics.incrementDispatchFailure();
        metrics.incrementDispatchDead();
        metrics.recordQueueDepths(1, 2);
        metrics.recordOldestLagMs(3);
        metrics.eventWritten("T");
        metrics.eventDispatched("T", EventMetrics.Result.FAILURE, Duration.ZERO);
        metrics.eventDead("T");
        metrics.eventWritten("T", "t");
        metrics.eventStarted("T", EventMetrics.Path.COLD, Duration.ZERO);
        metrics.eventDispatched("T", "t", EventMetrics.Result.SUCCESS, Duration.ZERO);
        metrics.eventDead("T", null);
    }

    private static List<String> abstractMethods(Class<?> type) {
        return Stream.of(type.getMethods())
                .filter(method -> Modifier.isAbstract(method.getModifiers()))
                .map(Method::getName)
                .toList();
    }
}
