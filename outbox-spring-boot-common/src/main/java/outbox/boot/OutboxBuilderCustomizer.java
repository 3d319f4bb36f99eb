package outbox.boot;

import outbox.OutboxBuilder;

/** A bean of this type sets what no property does, after the properties. Called in the order of the beans. */
@FunctionalInterface
public interface OutboxBuilderCustomizer {

    /**
     * Changes the description of an outbox before it is built.
     *
     * @param name that of the outbox: {@code outbox}, or one under {@code outbox.more}
     */
    void customize(String name, OutboxBuilder builder);
}
