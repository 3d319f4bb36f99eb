package outbox.dispatch;

import org.jspecify.annotations.Nullable;

/** What the events of one line have in common. */
record AggregateKey(String aggregateType, String aggregateId) {

    /** Null for an event without an aggregate id, which has no order. */
    static @Nullable AggregateKey of(String aggregateType, @Nullable String aggregateId) {
        return aggregateId == null ? null : new AggregateKey(aggregateType, aggregateId);
    }
}
