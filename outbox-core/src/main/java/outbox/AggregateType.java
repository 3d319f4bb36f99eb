package outbox;

/** The kind of aggregate an event belongs to; together with the event type it selects the listener. */
public interface AggregateType {

    /** Used when an event names no aggregate type. */
    AggregateType GLOBAL = StringAggregateType.of("__GLOBAL__");

    /** The name under which the aggregate type is stored and routed. */
    String name();
}
