package outbox;

/** The logical name of an event, usually an enum constant; {@link StringEventType} serves names known only at run time. */
public interface EventType {

    /** The name under which the event is stored and routed. */
    String name();
}
