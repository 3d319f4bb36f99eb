package outbox.internal.text;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.ResourceBundle;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ThrowingLog;

import static org.assertj.core.api.Assertions.assertThat;

class SafeLogTest {

    private static final Logger LOG = SafeLog.of(SafeLogTest.class);

    @Test
    void lines_go_where_the_class_logs_with_all_they_have() {
        IllegalStateException error = new IllegalStateException("no");
        try (CapturedLog log = new CapturedLog()) {
            LOG.log(Level.INFO, "plain");
            LOG.log(Level.INFO, "{0} of {1}", 1, 2);
            LOG.log(Level.INFO, () -> "lazy");
            LOG.log(Level.INFO, () -> "lazy with error", error);
            LOG.log(Level.INFO, (Object) List.of("shown"));
            LOG.log(Level.INFO, "with error", error);

            assertThat(log.lines())
                    .extracting(CapturedLog.Line::text)
                    .containsExactly("plain", "1 of 2", "lazy", "lazy with error", "[shown]", "with error");
            assertThat(log.lines()).extracting(CapturedLog.Line::logger).containsOnly(SafeLogTest.class.getName());
            assertThat(log.lines()).extracting(CapturedLog.Line::thrown).endsWith(error, null, error);
        }
        assertThat(LOG.getName()).isEqualTo(SafeLogTest.class.getName());
        assertThat(LOG.isLoggable(Level.TRACE)).isFalse();
    }

    /** What is put in from elsewhere is a name or a value; only the library's own texts have several lines. */
    @Test
    void a_parameter_begins_no_line_of_its_own() {
        Object event = List.of("e1\r\nSEVERE: forged");
        try (CapturedLog log = new CapturedLog()) {
            LOG.log(Level.INFO, "problems:\n- {0} of {1}, {2}", event, 1_000, null);

            assertThat(log.lines())
                    .extracting(CapturedLog.Line::text)
                    .containsExactly("problems:\n- [e1\\nSEVERE: forged] of 1,000, null");
        }
    }

    @Test
    void what_the_log_throws_does_not_come_out() {
        try (ThrowingLog log = new ThrowingLog(() -> new OutOfMemoryError("heap"))) {
            LOG.log(Level.TRACE, "plain");
            LOG.log(Level.INFO, "{0}", "parameter");
            LOG.log(Level.INFO, () -> "lazy");
            LOG.log(Level.INFO, () -> "lazy", new IllegalStateException());
            LOG.log(Level.INFO, new Object());
            LOG.log(Level.ERROR, "with error", new IllegalStateException());
            LOG.log(Level.ERROR, (ResourceBundle) null, "with bundle", new IllegalStateException());

            assertThat(log.lines()).isEqualTo(7);
        }
    }

    @Test
    void a_text_that_cannot_be_made_does_not_come_out_either() {
        Supplier<String> broken = () -> {
            throw new OutOfMemoryError("heap");
        };
        Object unspeakable = new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("no words");
            }
        };
        try (CapturedLog log = new CapturedLog()) {
            LOG.log(Level.INFO, broken);
            LOG.log(Level.INFO, broken, new IllegalStateException());
            LOG.log(Level.INFO, unspeakable);

            assertThat(log.lines()).isEmpty();
        }
    }
}
