package outbox.internal.text;

import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class JdbcUrlTest {

    @ParameterizedTest
    @CsvSource({
        "jdbc:oracle:thin:scott/s3cret@host, jdbc:oracle:thin:…",
        "jdbc:db2://h:50000/db:user=u;password=s;, jdbc:db2:…",
        "JDBC:H2:mem:x, JDBC:H2:mem:…",
        "jdbc:as400:host, jdbc:as400:…"
    })
    void only_the_words_that_name_the_driver_are_shown(String url, String shown) {
        assertThat(JdbcUrl.shown(url)).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({"postgresql://u:s3cret@h/db", "s3cret", "'jdbc:s3cret'", "jdbc:scott/s3cret@host:x", "''"})
    void nothing_is_shown_of_what_is_no_jdbc_url(String url) {
        assertThat(JdbcUrl.shown(url)).isEqualTo("a URL that does not begin with jdbc: and a database");
    }

    /** The state says that this is about a connection, and such messages are logged. */
    @Test
    void a_driver_that_quotes_the_url_does_not_bring_the_password_into_the_log() {
        SQLException refusal = catchThrowableOfType(
                SQLException.class, () -> DriverManager.getConnection("jdbc:nobodys:thin:scott/s3cret@host"));
        assertThat(refusal.getMessage()).contains("s3cret");

        Throwable logged = LoggedError.of(new IllegalStateException("no connection", refusal));

        assertThat(logged.getCause())
                .hasToString("java.sql.SQLException: No suitable driver found for jdbc:nobodys:thin:…");
    }
}
