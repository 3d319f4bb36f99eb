package outbox.wholebuild;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import outbox.boot.autoconfigure.OutboxProperties;

import static org.assertj.core.api.Assertions.assertThat;

/** Every property of the starters is in the documentation, and the documentation names no other. */
class SpringPropertiesTest {

    private static final Pattern IN_METADATA = Pattern.compile("\"name\": \"(outbox\\.[a-z.-]+)\",\\s+\"type\": \"");
    private static final Pattern IN_TABLE = Pattern.compile("`(outbox\\.[a-z.-]+)`");

    @Test
    void the_page_on_configuration_has_all_of_them_and_no_others() throws IOException {
        String page = Sources.read(Sources.root().resolve("docs/configuration.md"));
        String section = page.substring(page.indexOf("## Spring Boot"), page.indexOf("## ConsumeOptions"));
        List<String> rows =
                section.lines().filter(line -> line.startsWith("| `outbox.")).toList();

        assertThat(rows.stream()
                        .flatMap(row -> IN_TABLE.matcher(row.split("\\|", -1)[1])
                                .results()
                                .map(found -> found.group(1))))
                .containsExactlyInAnyOrderElementsOf(metadata());
    }

    private static List<String> metadata() throws IOException {
        String file = "/META-INF/spring-configuration-metadata.json";
        try (InputStream in = OutboxProperties.class.getResourceAsStream(file)) {
            String all = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            String properties = all.substring(all.indexOf("\"properties\": ["));
            return IN_METADATA
                    .matcher(properties)
                    .results()
                    .map(found -> found.group(1))
                    .distinct()
                    .toList();
        }
    }
}
