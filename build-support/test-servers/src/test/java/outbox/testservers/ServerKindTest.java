package outbox.testservers;

import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;
import outbox.testservers.processes.TestServerException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class ServerKindTest {

    @Test
    void existing_server_is_taken_from_the_environment() {
        Map<String, String> environment = Map.of(
                "OUTBOX_TEST_MYSQL_URL", "jdbc:mysql://db.example:3306/test?sslMode=DISABLED",
                "OUTBOX_TEST_MYSQL_USER", "me",
                "OUTBOX_TEST_MYSQL_PASSWORD", "secret");

        assertThat(ServerKind.MYSQL.existing(environment::get))
                .contains(new TestDatabase("jdbc:mysql://db.example:3306/test?sslMode=DISABLED", "me", "secret"));
        assertThat(ServerKind.POSTGRESQL.existing(environment::get)).isEmpty();
    }

    @Test
    void address_without_a_host_is_refused_with_its_value() {
        Map<String, String> environment = Map.of("OUTBOX_TEST_POSTGRESQL_URL", "jdbc:postgresql:test");

        assertThatThrownBy(() -> ServerKind.POSTGRESQL.existing(environment::get))
                .isInstanceOf(TestServerException.class)
                .hasMessageContaining("jdbc:postgresql:test");
    }

    @Test
    void name_and_prefix_are_replaced_without_losing_parameters() {
        TestDatabase database = new TestDatabase("jdbc:mariadb://h:1/test?a=b&c=d", "u", "p");

        assertThat(database.name()).isEqualTo("test");
        assertThat(database.withUrlPrefix("jdbc:mysql:").jdbcUrl()).isEqualTo("jdbc:mysql://h:1/test?a=b&c=d");
    }

    @Test
    void database_of_h2_is_named_before_its_settings_and_needs_no_statement() {
        TestDatabase database = new TestDatabase("jdbc:h2:tcp://127.0.0.1:1/test;WRITE_DELAY=0", "sa", "");

        assertThat(database.name()).isEqualTo("test");
        assertThat(database.createDatabase("other").jdbcUrl())
                .isEqualTo("jdbc:h2:tcp://127.0.0.1:1/other;WRITE_DELAY=0");
    }

    @Test
    void unsafe_name_is_refused_before_anything_is_sent() {
        TestDatabase nowhere = new TestDatabase("jdbc:postgresql://127.0.0.1:1/x", "u", "p");

        assertThatThrownBy(() -> nowhere.createDatabase("a\"; DROP"))
                .isInstanceOf(TestServerException.class)
                .hasMessageContaining("a\"; DROP");
    }
}
