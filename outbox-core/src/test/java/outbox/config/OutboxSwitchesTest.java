package outbox.config;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class OutboxSwitchesTest {

    @Test
    void without_variables_everything_has_its_default() {
        OutboxSwitches switches = OutboxSwitches.from(Map.of("PATH", "/bin", "OUTBOX_TEST_MYSQL_URL", "jdbc:"));

        assertThat(switches.relayEnabled()).isTrue();
        assertThat(switches.pollInterval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(switches.batchSize()).isEqualTo(100);
        assertThat(switches.lockTtl()).isEqualTo(Duration.ofSeconds(60));
        assertThat(switches.maxAttempts()).isEqualTo(25);
        assertThat(switches.cleanerEnabled()).isTrue();
        assertThat(switches.retention()).isEqualTo(Duration.ofDays(7));
        assertThat(switches.cleanerDeadEnabled()).isFalse();
    }

    @Test
    void each_variable_sets_its_value() {
        OutboxSwitches switches = OutboxSwitches.from(Map.of(
                "OUTBOX_RELAY_ENABLED", "false",
                "OUTBOX_RELAY_POLL_INTERVAL", "250ms",
                "OUTBOX_RELAY_BATCH_SIZE", "7",
                "OUTBOX_RELAY_LOCK_TTL", "1m30s",
                "OUTBOX_RELAY_MAX_ATTEMPTS", "3",
                "OUTBOX_CLEANER_ENABLED", "FALSE",
                "OUTBOX_CLEANER_RETENTION", "P30D",
                "OUTBOX_CLEANER_DEAD_ENABLED", "true"));

        assertThat(switches)
                .hasToString("OutboxSwitches[relayEnabled=false, pollInterval=PT0.25S, batchSize=7, lockTtl=PT1M30S,"
                        + " maxAttempts=3, cleanerEnabled=false, retention=PT720H, cleanerDeadEnabled=true]");
        assertThat(switches.relayEnabled()).isFalse();
        assertThat(switches.cleanerEnabled()).isFalse();
    }

    @Test
    void the_environment_of_this_process_can_be_read() {
        assertThat(OutboxSwitches.fromEnvironment()).isNotNull();
    }

    @Test
    void a_blank_variable_is_not_set_and_space_around_a_value_does_no_harm() {
        OutboxSwitches switches =
                OutboxSwitches.from(Map.of("OUTBOX_RELAY_ENABLED", " ", "OUTBOX_RELAY_BATCH_SIZE", " 5\n"));

        assertThat(switches.relayEnabled()).isTrue();
        assertThat(switches.batchSize()).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource({
        "OUTBOX_RELAY_ENABLED,    yes,   must be true or false",
        "OUTBOX_CLEANER_ENABLED,  0,     must be true or false",
        "OUTBOX_RELAY_BATCH_SIZE, 0,     must be a whole number from 1 to 2147483647",
        "OUTBOX_RELAY_BATCH_SIZE, 1e3,   must be a whole number from 1 to 2147483647",
        "OUTBOX_RELAY_MAX_ATTEMPTS, -1,  must be a whole number from 1 to 2147483647",
        "OUTBOX_RELAY_MAX_ATTEMPTS, 2147483648, must be a whole number from 1 to 2147483647",
        "OUTBOX_RELAY_POLL_INTERVAL, 5,  'must be a duration such as 500ms, 1m30s, 168h or PT1M30S'",
        "OUTBOX_RELAY_POLL_INTERVAL, 999us, must be at least 1ms",
        "OUTBOX_RELAY_LOCK_TTL, 0,       must be at least 1ms",
        "OUTBOX_RELAY_LOCK_TTL, -1s,     must be at least 1ms",
        "OUTBOX_CLEANER_RETENTION, -1ns, must not be negative",
        "OUTBOX_CLEANER_RETENTION, 7d,   'must be a duration such as 500ms, 1m30s, 168h or PT1M30S'"
    })
    void nonsense_stops_the_start_and_names_its_variable(String variable, String value, String rule) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxSwitches.from(Map.of(variable, value)))
                .withMessage("Environment variable " + variable + " " + rule + ", was \"" + value
                        + "\": correct it, or remove it to use the default");
    }

    @Test
    void a_misspelt_switch_stops_the_start() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxSwitches.from(Map.of("OUTBOX_RELAY_ENABLE", "false")))
                .withMessage("Environment variable OUTBOX_RELAY_ENABLE is unknown; the known ones are"
                        + " [OUTBOX_CLEANER_DEAD_ENABLED, OUTBOX_CLEANER_ENABLED, OUTBOX_CLEANER_RETENTION, OUTBOX_RELAY_BATCH_SIZE,"
                        + " OUTBOX_RELAY_ENABLED, OUTBOX_RELAY_LOCK_TTL, OUTBOX_RELAY_MAX_ATTEMPTS,"
                        + " OUTBOX_RELAY_POLL_INTERVAL]: correct or remove it");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "OUTBOX_RELAY_SERVICE_HOST",
                "OUTBOX_RELAY_SERVICE_PORT",
                "OUTBOX_RELAY_SERVICE_PORT_HTTP",
                "OUTBOX_RELAY_PORT",
                "OUTBOX_CLEANER_PORT_8080_TCP",
                "OUTBOX_CLEANER_PORT_8080_TCP_ADDR"
            })
    void what_kubernetes_sets_for_a_service_of_that_name_is_accepted(String variable) {
        assertThat(OutboxSwitches.from(Map.of(variable, "10.0.0.1")).relayEnabled())
                .isTrue();
    }
}
