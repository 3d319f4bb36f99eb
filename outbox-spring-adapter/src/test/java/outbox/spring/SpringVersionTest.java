package outbox.spring;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.SpringVersion;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/** The build runs every test on two lines of Spring; this one proves which. */
class SpringVersionTest {

    private static final String EXPECTED = System.getProperty("expected.spring.version", SpringVersion.getVersion());

    @Test
    void tests_run_on_the_spring_version_that_the_build_asked_for() {
        assertThat(SpringVersion.getVersion()).isEqualTo(EXPECTED);
    }

    @ParameterizedTest
    @ValueSource(classes = {DataSourceUtils.class, TransactionSynchronizationManager.class, SpringVersion.class})
    void no_jar_of_another_spring_version_is_mixed_in(Class<?> type) throws Exception {
        Path jar =
                Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());

        assertThat(jar.getFileName().toString()).endsWith("-" + EXPECTED + ".jar");
    }
}
