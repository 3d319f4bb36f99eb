package outbox;

import java.util.Objects;

/**
 * An event type whose name is known only at run time. Two with the same name are equal.
 *
 * @param name the name, neither null nor empty
 */
public record StringEventType(String name) implements EventType {

    public StringEventType {
        Objects.requireNonNull(name, "name");
        if (name.isBlank()) {
            throw new IllegalArgumentException("eventType must not be empty");
        }
    }

    /**
     * Returns the type of that name.
     *
     * @throws IllegalArgumentException if the name is empty
     */
    public static StringEventType of(String name) {
        return new StringEventType(name);
    }

    @Override
    public String toString() {
        return name;
    }
}
