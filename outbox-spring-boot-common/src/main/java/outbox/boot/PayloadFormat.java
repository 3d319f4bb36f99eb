package outbox.boot;

import java.lang.reflect.Type;

/**
 * Payloads of events as text and back. By default the JSON of the application's own Jackson, 3 or 2; a bean of this type takes its place.
 * Must be thread-safe.
 */
public interface PayloadFormat {

    /**
     * The payload as JSON.
     *
     * @throws IllegalArgumentException if it cannot be written
     */
    String write(Object payload);

    /**
     * The payload as an object of the given type.
     *
     * @throws IllegalArgumentException if it cannot be read; then the event is DEAD at once
     */
    Object read(String json, Type type);
}
