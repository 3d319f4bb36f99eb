package outbox.samples.joined;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** An event costs each library three statements: take the connection, write, say that it is over. Counted in the source that is run. */
class StatementsMoreTest {

    private static final Path SOURCES = Path.of("src/main/java/outbox/samples/joined");

    @ParameterizedTest
    @ValueSource(strings = {"JooqOrders", "MyBatisOrders", "HibernateOrders"})
    void an_event_takes_at_most_three_statements_more_than_the_business_code(String sample) throws IOException {
        String source = Files.readString(SOURCES.resolve(sample + ".java"));
        String place = source.substring(source.indexOf("public void place("));
        List<String> forTheEvent = Stream.of(place.split(";", -1))
                .filter(statement -> statement.contains("events") || statement.contains("outbox"))
                .toList();

        assertThat(forTheEvent).isNotEmpty().hasSizeLessThanOrEqualTo(3);
        assertThat(place).contains(".committed()");
    }
}
