package outbox;

import java.util.Objects;

/**
 * An aggregate type whose name is known only at run time. Two with the same name are equal.
 *
 * @param name the name, neither null nor empty
 */
public record StringAggregateType(String name) implements AggregateType {

    public StringAggregateType {
        Objects.requireNonNull(name, "name");
        if (name.isBlank()) {
            throw new IllegalArgumentException("aggregateType must not be empty");
        }
    }

    /**
     * Returns the type of that name.
     *
     * @throws IllegalArgumentException if the name is empty
     */
    public static StringAggregateType of(String name) {
        return new StringAggregateType(name);
    }

    @Override
    public String toString() {
        return name;
    }
}
