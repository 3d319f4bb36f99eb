package outbox.internal.text;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;

import static org.assertj.core.api.Assertions.assertThat;

class LoggedErrorTest {

    private static final String ROW = "Failing row contains (e1, MARKER-OF-THE-ROW)";

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"08006", "40001", "42P01", "57P01", "28000", "53300"})
    void what_shows_no_row_is_logged_as_it_is(String state) {
        Throwable error = new IllegalStateException("poll", new SQLException("connection refused", state));

        assertThat(LoggedError.of(error)).isSameAs(error);
    }

    @ParameterizedTest
    @ValueSource(strings = {"22001", "23514", "HY000", "P0001", "45000", "90005", ""})
    void a_database_that_may_quote_the_row_is_not_quoted(String state) {
        SQLException refusal = new SQLException(ROW, state, 17);
        Exception error = new RuntimeException(refusal);
        error.addSuppressed(new IllegalStateException("close", refusal));

        Throwable logged = LoggedError.of(error);

        assertThat(printed(logged))
                .doesNotContain("MARKER")
                .contains("java.lang.RuntimeException: java.sql.SQLException: (left out)")
                .contains("Caused by: java.sql.SQLException: SQLState " + state + ", error 17; the database's message")
                .contains("Suppressed: java.lang.IllegalStateException: close")
                .contains("LoggedErrorTest.a_database_that_may_quote_the_row_is_not_quoted");
        assertThat(logged.getStackTrace()).isEqualTo(error.getStackTrace());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection is read-only. Queries leading to data modification are not allowed",
                "Connection is read-only. Queries leading to data modification are not allowed."
            })
    void what_mysqls_driver_says_of_a_read_only_connection_is_shown(String text) {
        Throwable error = new IllegalStateException("poll", new SQLException(text, "S1009"));

        assertThat(LoggedError.of(error)).isSameAs(error);
    }

    @Test
    void what_only_begins_with_a_harmless_text_is_not_shown() {
        SQLException refusal = new SQLException("Connection is read-only. " + ROW, "S1009");

        assertThat(printed(LoggedError.of(refusal))).doesNotContain("MARKER").contains("SQLState S1009");
    }

    @Test
    void errors_that_contain_each_other_have_an_end() {
        SQLException refusal = new SQLException(ROW, "23514");
        Exception outer = new Exception("outer", refusal);
        refusal.initCause(outer);
        outer.addSuppressed(refusal);

        assertThat(printed(LoggedError.of(outer))).doesNotContain("MARKER").contains("SQLState 23514");
    }

    @Test
    void what_foreign_code_says_of_an_event_is_logged_without_its_content() {
        ContentMask content = ContentMask.of(EventEnvelope.ofJson("T", "{\"a\":\"MARKER-OF-THE-PAYLOAD\"}"));
        Exception error = new Exception("outer", new IllegalArgumentException("bad MARKER-OF-THE-PAYLOAD"));

        assertThat(printed(LoggedError.of(error, content)))
                .doesNotContain("MARKER")
                .contains("Caused by: java.lang.IllegalArgumentException: bad ***");
    }

    @Test
    void an_error_whose_message_cannot_be_read_is_logged_by_its_class() {
        Exception error = new Exception("outer", new SQLException(ROW, "23514") {
            private static final long serialVersionUID = 1L;
        });
        error.addSuppressed(new RuntimeException() {
            private static final long serialVersionUID = 1L;

            @Override
            public String getMessage() {
                throw new IllegalStateException("no message");
            }
        });

        assertThat(printed(LoggedError.of(error))).contains("Suppressed: " + LoggedErrorTest.class.getName() + "$2");
    }

    private static String printed(Throwable error) {
        StringWriter out = new StringWriter();
        error.printStackTrace(new PrintWriter(out));
        return out.toString();
    }

    @Test
    void a_broken_error_does_not_fail_whoever_logs_it() {
        Throwable broken = new RuntimeException("broken") {
            @Override
            public synchronized Throwable getCause() {
                throw new OutOfMemoryError("heap");
            }
        };

        assertThat(LoggedError.of(broken).toString()).contains("cannot be shown");
    }
}
