package outbox.proof.process;

import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

class ThrowingLogTest {

    @Test
    void it_throws_exceptions_and_now_and_then_an_error() {
        ThrowingLog log = new ThrowingLog();
        int errors = 0;
        for (int i = 0; i < 8; i++) {
            Throwable thrown = catchThrowable(() -> log.publish(new LogRecord(Level.INFO, "a word")));
            assertThat(thrown).isNotNull();
            errors += thrown instanceof Error ? 1 : 0;
        }

        assertThat(errors).isEqualTo(2);
    }
}
