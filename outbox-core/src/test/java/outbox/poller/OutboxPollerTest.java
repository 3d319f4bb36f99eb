package outbox.poller;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.model.OutboxFigures;
import outbox.model.Relaying;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.FailingMetrics;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;
import outbox.util.JsonCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.CREATED_AT;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.row;

/** Polls without claim locking, called by hand. */
class OutboxPollerTest {

    private final CapturedLog log = new CapturedLog();
    private final RecordingStore store = new RecordingStore();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final StubConnections connections = StubConnections.autoCommitting();
    private final ManualClock clock = new ManualClock("2026-01-01T00:01:00Z");
    private final RecordingHandler handler = new RecordingHandler();

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void what_a_plain_handler_takes_is_counted_as_enqueued() {
        store.add("a", "b", "c");
        List<String> taken = new ArrayList<>();
        OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler((event, attempts) -> taken.size() < 2 && taken.add(event.eventId()))
                .metrics(metrics)
                .build()
                .poll();

        assertThat(metrics.coldEnqueued).hasValue(2);
    }

    @Test
    void a_poll_needs_no_start() {
        store.add("a", "b");
        builder().build().poll();

        assertThat(handler.taken).containsExactly("a", "b");
        assertThat(store.calls()).containsExactly("pollPending now=2026-01-01T00:01:00Z skipRecent=PT0S limit=50");
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void skip_recent_is_passed_on() {
        builder().skipRecent(Duration.ofSeconds(3)).build().poll();

        assertThat(store.calls()).containsExactly("pollPending now=2026-01-01T00:01:00Z skipRecent=PT3S limit=50");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 10, 11, Integer.MAX_VALUE})
    void no_more_is_fetched_than_batch_and_capacity_allow(int capacity) {
        handler.capacity = capacity;
        builder().batchSize(10).build().poll();

        assertThat(store.calls()).hasSize(1).first().asString().endsWith("limit=" + Math.min(10, capacity));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void without_capacity_the_table_is_not_read(int capacity) {
        handler.capacity = capacity;
        store.add("a");
        builder().build().poll();

        assertThat(store.calls()).isEmpty();
        assertThat(connections.journal()).isEmpty();
        assertThat(handler.windows).isEmpty();
        assertThat(metrics.lags).isEmpty();
    }

    @Test
    void a_poll_over_which_memory_runs_out_is_logged_and_the_next_one_reads_half_as_much() {
        store.failWith(new OutOfMemoryError("heap"));
        OutboxPoller poller = builder().batchSize(10).build();
        poller.poll();
        poller.poll();
        store.failNext(0);
        poller.poll();
        store.add("a", "b", "c");
        poller.poll();
        poller.poll();

        assertThat(store.calls())
                .extracting(call -> call.substring(call.indexOf("limit=")))
                .as("an empty poll proves nothing, a full one does")
                .containsExactly("limit=10", "limit=5", "limit=2", "limit=2", "limit=4");
        assertThat(handler.wishes).filteredOn("too large"::equals).hasSize(2);
        assertThat(log.at(Level.SEVERE)).hasSize(2);
        assertThat(poller.health().healthy()).isTrue();
    }

    @Test
    void health_knows_the_last_poll_that_was_answered_and_that_this_process_relays() {
        OutboxPoller poller = builder().build();
        assertThat(poller.health().figures()).isEqualTo(OutboxFigures.NONE);
        store.failNext(1);
        poller.poll();
        assertThat(poller.health().figures()).isEqualTo(OutboxFigures.NONE);

        poller.poll();
        assertThat(poller.health().figures().lastPoll()).isNotNull();
        assertThat(poller.health().figures().relaying()).isEqualTo(Relaying.SOMEBODY);
        poller.close();
        assertThat(poller.health().figures().relaying()).isEqualTo(Relaying.UNKNOWN);
    }

    @Test
    void a_driver_that_says_in_its_own_way_that_memory_ran_out_is_understood() {
        store.failWith(new OutboxException("claim", new SQLException("Ran out of memory", "53200")));
        OutboxPoller poller = builder().batchSize(10).build();
        poller.poll();
        poller.poll();

        assertThat(store.calls())
                .extracting(call -> call.substring(call.indexOf("limit=")))
                .containsExactly("limit=10", "limit=5");
        assertThat(handler.wishes).filteredOn("too large"::equals).hasSize(2);
    }

    @Test
    void a_handler_has_all_the_room_there_is_by_default() {
        store.add("a");
        List<String> ids = new ArrayList<>();
        OutboxPollerHandler lambda = (event, attempts) -> ids.add(event.eventId());
        builder().handler(lambda).build().poll();

        assertThat(lambda.availableCapacity()).isEqualTo(Integer.MAX_VALUE);
        assertThat(ids).containsExactly("a");
    }

    @Test
    void rows_become_the_events_that_were_written() {
        List<EventEnvelope> events = new ArrayList<>();
        store.add(new OutboxEvent(
                "id", "Type", "Order", "42", "tenant", "{\"a\":1}", "{\"k\":\"v\",\"n\":null}", 0, CREATED_AT));
        store.add(new OutboxEvent("bare", "Type", null, null, null, "{}", null, 0, CREATED_AT));
        builder().handler((event, attempts) -> events.add(event)).build().poll();

        EventEnvelope full = events.get(0);
        assertThat(full.eventId()).isEqualTo("id");
        assertThat(full.eventType()).isEqualTo("Type");
        assertThat(full.aggregateType()).isEqualTo("Order");
        assertThat(full.aggregateId()).isEqualTo("42");
        assertThat(full.tenantId()).isEqualTo("tenant");
        assertThat(full.payloadJson()).isEqualTo("{\"a\":1}");
        assertThat(full.headers()).hasSize(2).containsEntry("k", "v").containsEntry("n", null);
        assertThat(full.occurredAt()).isEqualTo(CREATED_AT);
        assertThat(events.get(1).aggregateType()).isEqualTo("__GLOBAL__");
        assertThat(events.get(1).headers()).isEmpty();
    }

    @Test
    void attempts_are_passed_on_and_never_negative() {
        store.add(row("a", null, 3), row("b", null, -2));
        builder().build().poll();

        assertThat(handler.attempts).containsExactly(3, 0);
    }

    @Test
    void a_custom_codec_reads_the_headers() {
        store.add(row("a", "whatever", 0));
        List<EventEnvelope> events = new ArrayList<>();
        JsonCodec codec = new JsonCodec() {
            @Override
            public String toJson(Map<String, String> headers) {
                throw new UnsupportedOperationException();
            }

            @Override
            public Map<String, String> parseObject(String json) {
                return Map.of("read", json);
            }
        };
        builder()
                .jsonCodec(codec)
                .handler((event, attempts) -> events.add(event))
                .build()
                .poll();

        assertThat(events.get(0).headers()).containsEntry("read", "whatever");
    }

    @Test
    void an_undecodable_row_is_dead_with_an_error_and_the_others_go_on() {
        store.add(row("a"), row("bad", "{\"secret\":[]}", 0), row("c"));
        builder().build().poll();

        assertThat(handler.taken).containsExactly("a", "c");
        assertThat(store.status("bad")).isEqualTo(EventStatus.DEAD);
        assertThat(store.error("bad"))
                .startsWith("Cannot be decoded: java.lang.IllegalArgumentException")
                .doesNotContain("secret");
        assertThat(log.at(Level.SEVERE)).hasSize(1).first().asString().contains("bad", "marked DEAD");
    }

    @Test
    void every_kind_of_broken_row_is_dead() {
        store.add(new OutboxEvent("type", null, null, null, null, "{}", null, 0, CREATED_AT));
        store.add(new OutboxEvent("payload", TYPE, null, null, null, null, null, 0, CREATED_AT));
        store.add(new OutboxEvent("blank", " ", null, null, null, "{}", null, 0, CREATED_AT));
        builder().build().poll();

        assertThat(store.count(EventStatus.DEAD)).isEqualTo(3);
        assertThat(handler.taken).isEmpty();
    }

    @Test
    void the_error_of_an_undecodable_row_is_not_longer_than_the_column() {
        store.add(row("bad", "{}", 0));
        JsonCodec verbose = new JsonCodec() {
            @Override
            public String toJson(Map<String, String> headers) {
                return null;
            }

            @Override
            public Map<String, String> parseObject(String json) {
                throw new IllegalArgumentException("x".repeat(5_000));
            }
        };
        builder().jsonCodec(verbose).build().poll();

        assertThat(store.error("bad")).hasSize(4000).endsWith("...");
    }

    @Test
    void an_undecodable_row_that_cannot_be_marked_does_not_stop_the_others() {
        RecordingStore failing = new RecordingStore() {
            @Override
            public synchronized int markDead(Connection conn, String eventId, String error) {
                throw new IllegalStateException("database is away");
            }
        };
        failing.add(row("bad", "[]", 0), row("b"));
        builder().outboxStore(failing).build().poll();

        assertThat(handler.taken).containsExactly("b");
        assertThat(failing.status("bad")).isEqualTo(EventStatus.NEW);
        assertThat(log.at(Level.SEVERE)).hasSize(2).last().asString().contains("Cannot mark", "next poll");
    }

    @Test
    void a_handler_that_refuses_ends_the_round_and_the_rest_stays_for_the_next() {
        store.add("a", "b", "c");
        handler.refuseFrom = "b";
        OutboxPoller poller = builder().build();
        poller.poll();
        assertThat(handler.offered).containsExactly("a", "b");
        assertThat(store.calls()).hasSize(1);
        handler.refuseFrom = null;
        poller.poll();

        assertThat(handler.taken).containsExactly("a", "a", "b", "c");
    }

    @Test
    void a_handler_that_throws_ends_the_round_and_is_logged() {
        store.add("a", "b");
        handler.failAt = "a";
        builder().build().poll();

        assertThat(handler.taken).isEmpty();
        assertThat(log.at(Level.SEVERE)).hasSize(1).first().asString().startsWith("Poll of ");
        assertThat(handler.windows).containsExactly("start", "finish");
    }

    @Test
    void the_handler_is_told_when_a_poll_starts_and_ends() {
        store.add("a");
        store.afterRead(() -> handler.windows.add("read"));
        builder().build().poll();

        assertThat(handler.windows).containsExactly("start", "read", "finish");
    }

    @Test
    void the_lag_is_the_age_of_the_oldest_row() {
        OutboxPoller poller = builder().build();
        store.add(row("a"));
        store.add(new OutboxEvent("b", TYPE, null, null, null, "{}", null, 0, CREATED_AT.plusSeconds(20)));
        poller.poll();

        assertThat(metrics.lags).containsExactly(60_000L);
    }

    @Test
    void the_lag_is_zero_when_nothing_is_pending_and_never_negative() {
        OutboxPoller poller = builder().build();
        poller.poll();
        store.add(new OutboxEvent(
                "b", TYPE, null, null, null, "{}", null, 0, clock.instant().plusSeconds(20)));
        poller.poll();

        assertThat(metrics.lags).containsExactly(0L, 0L);
    }

    @Test
    void a_failed_poll_leaves_the_lag_alone_and_is_logged() {
        store.add("a").failNext(1);
        OutboxPoller poller = builder().build();
        poller.poll();
        assertThat(metrics.lags).isEmpty();
        assertThat(handler.windows).containsExactly("start", "finish");
        poller.poll();

        assertThat(metrics.lags).containsExactly(60_000L);
        assertThat(handler.taken).containsExactly("a");
        assertThat(log.at(Level.SEVERE)).hasSize(1).first().asString().startsWith("Poll of ");
    }

    @Test
    void a_database_that_cannot_be_reached_is_logged() {
        connections.failToOpen(1);
        builder().build().poll();

        assertThat(log.at(Level.SEVERE)).hasSize(1);
        assertThat(metrics.lags).isEmpty();
    }

    @Test
    void an_exporter_that_throws_keeps_no_event_from_being_delivered() {
        store.add("a", "b");
        builder().metrics(new FailingMetrics()).build().poll();

        assertThat(handler.taken).containsExactly("a", "b");
    }

    @Test
    void a_connection_without_autocommit_is_committed_before_the_hand_over() {
        StubConnections transactional = StubConnections.transactional();
        List<String> journalAtHandOver = new ArrayList<>();
        store.add("a");
        builder()
                .connectionProvider(transactional)
                .handler((event, attempts) -> journalAtHandOver.addAll(transactional.journal()))
                .build()
                .poll();

        assertThat(journalAtHandOver).containsExactly("open", "commit", "close");
    }

    private OutboxPoller.Builder builder() {
        return OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(handler)
                .metrics(metrics)
                .clock(clock);
    }
}
