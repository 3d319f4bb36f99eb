package outbox;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class HeadersHookTest {

    private static final EventEnvelope EVENT = EventEnvelope.builder("Paid")
            .payloadJson("{}")
            .headers(Map.of("user", "ann"))
            .build();

    private static HeaderProvider providing(Map<String, String> headers) {
        return new HeaderProvider() {
            @Override
            public Map<String, String> headers() {
                return headers;
            }

            @Override
            public Scope restore(EventEnvelope event) {
                return Scope.NONE;
            }
        };
    }

    private static EventEnvelope written(HeaderProvider... providers) {
        return new HeadersHook(List.of(providers)).beforeWrite(List.of(EVENT)).get(0);
    }

    @Test
    void what_is_provided_stands_behind_what_the_code_has_set() {
        EventEnvelope written = written(providing(Map.of("trace", "1")), providing(Map.of("tenant", "acme")));

        assertThat(written.headers()).hasToString("{user=ann, trace=1, tenant=acme}");
        assertThat(written.eventId()).isEqualTo(EVENT.eventId());
        assertThat(written.payloadJson()).isEqualTo("{}");
    }

    @Test
    void what_the_code_has_set_stays() {
        assertThat(written(providing(Map.of("user", "somebody")))).isSameAs(EVENT);
    }

    @Test
    void of_two_providers_the_later_one_wins() {
        assertThat(written(providing(Map.of("trace", "1")), providing(Map.of("trace", "2")))
                        .headers())
                .containsEntry("trace", "2");
    }

    @Test
    void without_anything_provided_the_events_are_the_same() {
        List<EventEnvelope> events = List.of(EVENT);

        assertThat(new HeadersHook(List.of(providing(Map.of()))).beforeWrite(events))
                .isSameAs(events);
    }

    @Test
    void a_provider_that_returns_nothing_fails_the_write_and_is_named() {
        HeaderProvider broken = HeaderProvider.of("trace", () -> null, value -> HeaderProvider.Scope.NONE);
        assertThat(written(broken)).isSameAs(EVENT);
        assertThatNullPointerException()
                .isThrownBy(() -> written(providing(null)))
                .withMessageContaining("returned no headers");
    }

    @Test
    void a_variable_of_the_thread_is_carried_and_put_back() {
        ThreadLocal<String> tenant = new ThreadLocal<>();
        HeaderProvider provider = HeaderProvider.ofThreadLocal("tenant", tenant);
        tenant.set("acme");
        EventEnvelope written = written(provider);
        assertThat(written.headers()).containsEntry("tenant", "acme");

        tenant.set("before");
        try (HeaderProvider.Scope scope = provider.restore(written)) {
            assertThat(tenant.get()).isEqualTo("acme");
            try (HeaderProvider.Scope inner = provider.restore(EVENT)) {
                assertThat(tenant.get()).as("of an event that carries none").isNull();
            }
            assertThat(tenant.get()).isEqualTo("acme");
        }
        assertThat(tenant.get()).isEqualTo("before");
        tenant.remove();
    }
}
