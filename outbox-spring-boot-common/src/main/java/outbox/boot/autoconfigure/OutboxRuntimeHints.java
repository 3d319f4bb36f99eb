package outbox.boot.autoconfigure;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** What a native image must hold beside the code: scripts, and the services by which stores are found. */
final class OutboxRuntimeHints implements RuntimeHintsRegistrar {

    private static final List<String> SCRIPTS = List.of(
            "schema/*.sql",
            "outbox-schema/*/*.sql",
            "inbox-schema/*.sql",
            "inbox-schema/*/*.sql",
            "outbox/boot/changelog.xml");

    private static final List<String> SERVICES = List.of(
            "META-INF/services/outbox.jdbc.StoreFinder", "META-INF/services/outbox.jdbc.store.AbstractJdbcOutboxStore");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        SCRIPTS.forEach(hints.resources()::registerPattern);
        for (String service : SERVICES) {
            hints.resources().registerPattern(service);
            providers(service)
                    .forEach(provider -> hints.reflection()
                            .registerType(TypeReference.of(provider), MemberCategory.INVOKE_DECLARED_CONSTRUCTORS));
        }
    }

    private static List<String> providers(String service) {
        try (InputStream in = OutboxRuntimeHints.class.getResourceAsStream("/" + service)) {
            if (in == null) {
                return List.of();
            }
            return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))
                    .lines()
                    .map(line -> line.replaceAll("#.*", "").strip())
                    .filter(line -> !line.isEmpty())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
