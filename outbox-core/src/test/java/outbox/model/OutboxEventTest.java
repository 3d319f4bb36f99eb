package outbox.model;

import java.time.Instant;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutboxEventTest {

    @Test
    void text_form_shows_neither_payload_nor_headers() {
        OutboxEvent row = new OutboxEvent(
                "id-1", "Type", "Aggregate", "7", "tenant", "secret-payload", "secret-headers", 3, Instant.EPOCH);

        assertThat(row.toString())
                .contains("id-1", "Aggregate/Type", "attempts=3")
                .doesNotContain("secret");
        assertThat(row.payloadJson()).isEqualTo("secret-payload");
        assertThat(row.headersJson()).isEqualTo("secret-headers");
        assertThat(row.aggregateId()).isEqualTo("7");
        assertThat(row.tenantId()).isEqualTo("tenant");
    }
}
