package outbox;

import java.util.Objects;

/**
 * An aggregate type whose name is known only at run time. Two with the same name are equal.
 *
 * @param name the name, not null
 */
public record StringAggregateType(String name) implements AggregateType {

    public StringAggregateType {
        Objects.requireNonNull(name, "name");
    }

    /** Returns the type of that name. */
    public static StringAggregateType of(String name) {
        return new StringAggregateType(name);
    }

    @Override
    public String toString() {
        return name;
    }
}
