package outbox.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * A script in a jar.
 *
 * @param owner a class of that jar
 * @param path where it is, without a leading slash
 */
record SqlResource(Class<?> owner, String path) {

    boolean exists() {
        return owner.getResource("/" + path) != null;
    }

    /**
     * What is in it.
     *
     * @throws IllegalArgumentException if it does not exist
     */
    String text() {
        try (InputStream script = owner.getResourceAsStream("/" + path)) {
            if (script == null) {
                throw new IllegalArgumentException("No schema script " + path);
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
