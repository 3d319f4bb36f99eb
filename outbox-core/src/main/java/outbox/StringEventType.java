package outbox;

import java.util.Objects;

/**
 * An event type whose name is known only at run time. Two with the same name are equal.
 *
 * @param name the name, not null
 */
public record StringEventType(String name) implements EventType {

    public StringEventType {
        Objects.requireNonNull(name, "name");
    }

    /** Returns the type of that name. */
    public static StringEventType of(String name) {
        return new StringEventType(name);
    }

    @Override
    public String toString() {
        return name;
    }
}
