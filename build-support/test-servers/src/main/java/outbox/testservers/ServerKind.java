package outbox.testservers;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The servers that tests share. */
enum ServerKind {
    POSTGRESQL,
    MYSQL,
    MARIADB;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    DatabaseServer server(ServerSettings settings) {
        return switch (this) {
            case POSTGRESQL -> new PostgresServer(settings);
            case MYSQL -> new MySqlServer(settings);
            case MARIADB -> new MariaDbServer(settings);
        };
    }

    /** The server that the environment names instead of one started by the build. */
    Optional<TestDatabase> existing(Function<String, @Nullable String> environment) {
        String prefix = "OUTBOX_TEST_" + name();
        String url = value(environment, prefix + "_URL");
        if (url.isBlank()) {
            return Optional.empty();
        }
        return Optional.of(
                new TestDatabase(url, value(environment, prefix + "_USER"), value(environment, prefix + "_PASSWORD")));
    }

    private static String value(Function<String, @Nullable String> environment, String name) {
        return Objects.requireNonNullElse(environment.apply(name), "");
    }
}
