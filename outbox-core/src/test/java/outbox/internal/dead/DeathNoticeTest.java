package outbox.internal.dead;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.DeadEvent;
import outbox.EventEnvelope;
import outbox.PermanentFailureException;
import outbox.internal.text.ErrorText;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DeathNoticeTest {

    @Test
    void says_everything_but_the_row() throws Exception {
        DeadEvent dead = DeadEvents.dead("a");

        assertThat(DeathNotice.read(DeathNotice.of(dead.with(DeadEvents.row("a")))))
                .isEqualTo(dead);
    }

    @Test
    void has_the_tenant_of_its_event_an_id_of_its_own_no_key_and_no_content() {
        EventEnvelope notice = DeathNotice.of(DeadEvents.dead("a").with(DeadEvents.row("a")));

        assertThat(notice.eventType()).isEqualTo(DeathNotice.TYPE);
        assertThat(notice.tenantId()).isEqualTo("acme");
        assertThat(notice.eventId()).isNotEqualTo("a");
        assertThat(notice.aggregateId()).isNull();
        assertThat(notice.payloadJson()).doesNotContain(DeadEvents.SECRET);
    }

    @Test
    void an_event_of_which_only_the_id_is_known_has_a_notice_too() throws Exception {
        DeadEvent dead = new DeadEvent("a", null, null, null, null, "?", 0, false, Instant.EPOCH, null);

        assertThat(DeathNotice.read(DeathNotice.of(dead))).isEqualTo(dead);
    }

    @Test
    void text_that_no_database_takes_does_not_keep_an_event_from_ending() throws Exception {
        DeadEvent dead = new DeadEvent(
                "a", "T\0", "A\ud800", "k", "t\0", "x".repeat(2 * ErrorText.MAX_LENGTH), 0, false, Instant.EPOCH, null);
        EventEnvelope notice = DeathNotice.of(dead);
        DeadEvent read = DeathNotice.read(notice);

        assertThat(notice.tenantId()).startsWith("t").doesNotContain("\0");
        assertThat(read.eventType()).startsWith("T").doesNotContain("\0");
        assertThat(read.aggregateType()).startsWith("A").doesNotContain("\ud800");
        assertThat(read.error()).startsWith("xxx").hasSize(ErrorText.MAX_LENGTH);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{}",
                "{\"eventId\":\"a\",\"attempts\":\"1\",\"diedAt\":\"2026-01-01T00:00:00Z\"}",
                "{\"eventId\":\"a\",\"error\":\"e\",\"diedAt\":\"2026-01-01T00:00:00Z\"}",
                "{\"eventId\":\"a\",\"error\":\"e\",\"attempts\":\"many\",\"diedAt\":\"2026-01-01T00:00:00Z\"}",
                "{\"eventId\":\"a\",\"error\":\"e\",\"attempts\":\"1\",\"diedAt\":\"today\"}",
                "{\"error\":\"e\",\"attempts\":\"1\",\"diedAt\":\"2026-01-01T00:00:00Z\"}"
            })
    void one_that_somebody_else_has_written_is_not_repeated_and_names_the_way_out(String payload) {
        EventEnvelope forged =
                EventEnvelope.builder(DeathNotice.TYPE).payloadJson(payload).build();

        assertThatThrownBy(() -> DeathNotice.read(forged))
                .isInstanceOf(PermanentFailureException.class)
                .hasMessageContainingAll(DeathNotice.TYPE, "was not written by it", "use another type");
    }

    @Test
    void only_its_own_type_is_that_of_notices() {
        assertThat(DeathNotice.isType("outbox.EventDied")).isTrue();
        assertThat(DeathNotice.isType("outbox.eventdied")).isFalse();
        assertThat(DeathNotice.isType(null)).isFalse();
    }
}
