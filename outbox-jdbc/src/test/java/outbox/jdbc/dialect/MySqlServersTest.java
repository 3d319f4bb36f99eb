package outbox.jdbc.dialect;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Which servers of MySQL's family can pass over rows that others hold. */
class MySqlServersTest {

    @ParameterizedTest
    @CsvSource({
        "8.0.12, true",
        "9.7.0, true",
        "8.0.11-TiDB-v7.5.1, false",
        "5.7.25-TiDB-v5.4.0, false",
        "10.5.29-MariaDB, false",
        "10.6.0-MariaDB, true",
        "11.4.5-MariaDB-ubu2404, true",
        "5.5.5-10.5.12-MariaDB-1:10.5.12+maria~focal, false",
        "5.5.5-10.11.2-MariaDB, true"
    })
    void the_version_tells(String version, boolean can) {
        assertThat(MySqlServers.knowsSkipLocked(version)).isEqualTo(can);
    }
}
