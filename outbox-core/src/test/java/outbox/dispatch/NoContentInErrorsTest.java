package outbox.dispatch;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.AfterDead;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxException;
import outbox.OutboxWriter;
import outbox.WriterHook;
import outbox.bus.SubscriberBus;
import outbox.dead.DeadEventManager;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;
import outbox.testsupport.StubTransaction;
import outbox.util.JsonCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testsupport.Events.CREATED_AT;
import static outbox.testsupport.Events.TYPE;

/** Payload and headers carry a marker; whatever fails, it must be neither in the table's error column nor in the log. */
@Timeout(30)
class NoContentInErrorsTest {

    private static final String MARKER = "S3CRET-of-the-payload";
    private static final String HEADER_MARKER = "S3CRET-of-the-headers";
    private static final String PAYLOAD = "{\"note\":\"" + MARKER + "\"}";
    private static final String HEADERS = "{\"token\":\"" + HEADER_MARKER + "\"}";
    private static final String TENANT = "tenant-47";

    private final CapturedLog log = new CapturedLog();
    private final RecordingStore store = new RecordingStore() {
        @Override
        public String tableName() {
            return "shop_outbox";
        }
    };
    private final StubConnections connections = StubConnections.autoCommitting();
    private final EventEnvelope event = EventEnvelope.builder(TYPE)
            .eventId("a")
            .tenantId(TENANT)
            .payloadJson(PAYLOAD)
            .headers(Map.of("token", HEADER_MARKER))
            .build();

    @AfterEach
    void theMarkerIsNowhere() {
        log.close();
        for (CapturedLog.Line line : log.lines()) {
            assertThat(printed(line)).doesNotContain("S3CRET").doesNotContain("s3cret");
        }
        if (store.contains("a") && store.error("a") != null) {
            assertThat(store.error("a")).doesNotContain("S3CRET");
        }
    }

    @Test
    void a_listener_that_throws_what_it_was_given() {
        deliver(1, settings -> settings, given -> {
            throw new IllegalStateException("cannot handle " + given.payloadJson() + " of " + given.headers());
        });

        assertThat(store.error("a"))
                .isEqualTo("java.lang.IllegalStateException: cannot handle {\"note\":\"***\"} of {token=***}");
        assertThat(log.lines())
                .anyMatch(line -> line.text()
                        .startsWith("Event a (__GLOBAL__/UserCreated, table shop_outbox, tenant tenant-47) is DEAD"));
    }

    @Test
    void a_listener_that_throws_an_error_and_is_retried() {
        deliver(3, settings -> settings, given -> {
            throw new AssertionError(given.payloadJson(), new Exception(MARKER));
        });

        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.error("a")).isEqualTo("java.lang.AssertionError: {\"note\":\"***\"}");
    }

    @Test
    void subscribers_of_a_bus() {
        SubscriberBus bus = new SubscriberBus();
        bus.subscribe(TYPE, given -> {
            throw new IllegalStateException(given.payloadJson());
        });
        bus.subscribe(TYPE, given -> {
            throw new IllegalStateException(HEADER_MARKER);
        });
        deliver(1, settings -> settings, bus);

        assertThat(store.error("a")).contains("2 of 2 subscriber(s)");
    }

    @Test
    void interceptors_before_and_after() {
        EventInterceptor quoting = new EventInterceptor() {
            @Override
            public void beforeDispatch(EventEnvelope given) {
                throw new IllegalStateException("before " + given.payloadJson());
            }

            @Override
            public void afterDispatch(EventEnvelope given, Exception error) {
                throw new IllegalStateException("after " + given.headers(), error);
            }
        };
        deliver(1, settings -> settings.interceptor(quoting), given -> {});

        assertThat(store.error("a")).isEqualTo("java.lang.IllegalStateException: before {\"note\":\"***\"}");
        assertThat(log.lines()).anyMatch(line -> line.text().startsWith("EventInterceptor.afterDispatch failed"));
    }

    @Test
    void nobody_listens() {
        try (OutboxDispatcher dispatcher = dispatcher(new DefaultListenerRegistry(), 1, settings -> settings)) {
            enqueue(dispatcher);
        }

        assertThat(store.error("a")).contains("No listener");
    }

    @Test
    void a_listener_that_cannot_tell_what_follows() {
        deliver(1, settings -> settings, new EventListener() {
            @Override
            public void onEvent(EventEnvelope given) {
                throw new IllegalStateException();
            }

            @Override
            public AfterDead afterDead() {
                throw new IllegalStateException(MARKER);
            }
        });
    }

    @Test
    void the_tenant_can_be_masked() {
        deliver(1, settings -> settings.tenantInLogs(tenant -> "***"), given -> {
            throw new IllegalStateException("no");
        });

        assertThat(log.lines()).isNotEmpty().noneMatch(line -> line.text().contains(TENANT));
        assertThat(log.lines()).anyMatch(line -> line.text().contains("tenant ***) is DEAD"));
    }

    @Test
    void a_database_that_quotes_the_row_when_it_refuses_a_mark() throws Exception {
        SQLException refusal = new SQLException("Failing row contains (a, " + PAYLOAD + ", " + HEADERS + ")", "23514");
        store.failWith(new OutboxException("Cannot mark event a", refusal));
        deliver(1, settings -> settings.drainTimeoutMs(500), given -> {});

        assertThat(log.lines()).anyMatch(line -> line.text().startsWith("Cannot record that Event a"));
    }

    @Test
    void a_database_that_quotes_the_row_when_it_is_polled_purged_or_replayed() throws Exception {
        SQLException refusal = new SQLException("bad value '" + MARKER + "'", "22001");
        store.failWith(new RuntimeException(refusal));
        new DeadEventManager(connections, store).replay("a");
        try (OutboxPoller poller = poller(JsonCodec.getDefault())) {
            poller.poll();
        }

        assertThat(log.lines()).hasSize(2);
    }

    @Test
    void a_row_whose_headers_cannot_be_decoded() {
        store.add(new OutboxEvent("a", TYPE, null, null, TENANT, PAYLOAD, "{" + HEADERS, 0, CREATED_AT));
        try (OutboxPoller poller = poller(JsonCodec.getDefault())) {
            poller.poll();
        }

        assertThat(store.error("a")).contains("Cannot be decoded");
        assertThat(log.lines())
                .anyMatch(line -> line.text().contains("table shop_outbox, tenant #9) cannot be decoded"));
    }

    @Test
    void a_codec_that_quotes_what_it_cannot_read() {
        JsonCodec quoting = new JsonCodec() {
            @Override
            public String toJson(Map<String, String> headers) {
                throw new UnsupportedOperationException();
            }

            @Override
            public Map<String, String> parseObject(String json) {
                throw new IllegalArgumentException("unexpected " + json, new Exception(json));
            }
        };
        store.add(new OutboxEvent("a", TYPE, null, null, TENANT, PAYLOAD, HEADERS, 0, CREATED_AT));
        try (OutboxPoller poller = poller(quoting)) {
            poller.poll();
        }

        assertThat(store.error("a"))
                .isEqualTo("Cannot be decoded: java.lang.IllegalArgumentException: unexpected {\"token\":\"***\"}");
    }

    @Test
    void a_hook_of_the_writer_that_quotes_what_was_written() throws Exception {
        WriterHook quoting = new WriterHook() {
            @Override
            public void afterWrite(List<EventEnvelope> events) {
                throw new IllegalStateException(events.get(0).payloadJson());
            }

            @Override
            public void afterCommit(List<EventEnvelope> events) {
                throw new IllegalStateException(events.get(0).headers().toString());
            }
        };
        StubTransaction transaction = new StubTransaction();
        new OutboxWriter(transaction, store, quoting).write(event);
        transaction.commit();

        assertThat(log.lines()).hasSize(2);
    }

    @Test
    void a_full_queue_and_a_tracker_that_fails() throws Exception {
        InFlightTracker broken = new InFlightTracker() {
            @Override
            public boolean tryAcquire(String eventId) {
                throw new IllegalStateException("tracker");
            }

            @Override
            public void release(String eventId) {}
        };
        StubTransaction transaction = new StubTransaction();
        try (OutboxDispatcher dispatcher =
                dispatcher(new DefaultListenerRegistry(), 1, settings -> settings.inFlightTracker(broken))) {
            new OutboxWriter(transaction, store, new DispatcherWriterHook(dispatcher)).write(event);
            transaction.commit();
        }

        assertThat(log.lines()).anyMatch(line -> line.text().startsWith("Hot queue refused Event a"));
    }

    @Test
    void an_event_that_is_refused_before_it_is_written() {
        assertThatThrownBy(() -> EventEnvelope.ofJson(TYPE, "\"" + MARKER.repeat(100_000) + "\""))
                .hasMessageNotContaining("S3CRET");
        assertThatThrownBy(() -> EventEnvelope.ofJson(TYPE, MARKER + "\ud800")).hasMessageNotContaining("S3CRET");
        assertThatThrownBy(() -> JsonCodec.getDefault().toJson(Map.of("k", HEADER_MARKER + "\ud800")))
                .hasMessageNotContaining("S3CRET");
        assertThat(event).asString().doesNotContain("S3CRET");
    }

    private void deliver(int maxAttempts, UnaryOperator<OutboxDispatcher.Builder> settings, EventListener listener) {
        DefaultListenerRegistry registry = new DefaultListenerRegistry().register(TYPE, listener);
        try (OutboxDispatcher dispatcher = dispatcher(registry, maxAttempts, settings)) {
            enqueue(dispatcher);
        }
    }

    private void enqueue(OutboxDispatcher dispatcher) {
        store.add(new OutboxEvent("a", TYPE, null, null, TENANT, PAYLOAD, HEADERS, 0, CREATED_AT));
        assertThat(dispatcher.enqueueHot(new QueuedEvent(event, QueuedEvent.Source.HOT, 0)))
                .isTrue();
    }

    private OutboxDispatcher dispatcher(
            DefaultListenerRegistry registry, int maxAttempts, UnaryOperator<OutboxDispatcher.Builder> settings) {
        return settings.apply(OutboxDispatcher.builder()
                        .connectionProvider(connections)
                        .outboxStore(store)
                        .listenerRegistry(registry)
                        .maxAttempts(maxAttempts))
                .build();
    }

    private OutboxPoller poller(JsonCodec codec) {
        return OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler((found, attempts) -> true)
                .jsonCodec(codec)
                .tenantInLogs(tenant -> "#" + tenant.length())
                .build();
    }

    private static String printed(CapturedLog.Line line) {
        StringWriter out = new StringWriter();
        out.append(line.text());
        if (line.thrown() != null) {
            line.thrown().printStackTrace(new PrintWriter(out));
        }
        return out.toString();
    }
}
