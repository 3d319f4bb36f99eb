package outbox;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutboxExceptionTest {

    @Test
    void is_unchecked_and_keeps_message_and_cause() {
        IllegalStateException cause = new IllegalStateException();

        assertThat(new OutboxException("table is missing", cause))
                .isInstanceOf(RuntimeException.class)
                .hasMessage("table is missing")
                .hasCause(cause);
        assertThat(new OutboxException("no cause", null)).hasNoCause();
    }
}
