package outbox.model;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class EventStatusTest {

    @Test
    void codes_are_those_of_the_table() {
        assertThat(EventStatus.NEW.code()).isZero();
        assertThat(EventStatus.DONE.code()).isEqualTo(1);
        assertThat(EventStatus.RETRY.code()).isEqualTo(2);
        assertThat(EventStatus.DEAD.code()).isEqualTo(3);
        assertThat(EventStatus.values()).hasSize(4);
    }

    @Test
    void a_code_leads_back_to_its_status() {
        for (EventStatus status : EventStatus.values()) {
            assertThat(EventStatus.fromCode(status.code())).isSameAs(status);
        }
    }

    @Test
    void an_unknown_code_is_rejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventStatus.fromCode(4))
                .withMessageContaining("4");
        assertThatIllegalArgumentException().isThrownBy(() -> EventStatus.fromCode(-1));
    }
}
