package outbox.domain;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The name under which events of a class are stored, whatever becomes of the class's own name. Without it, and without an entry in
 * {@link DomainEventTypes}, the class name is stored, and renaming the class strands what was written before.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface EventName {

    /** The name; it becomes the event type. */
    String value();

    /** Counts the forms of the payload that consumers have to tell apart; at least 1. */
    int version() default 1;
}
