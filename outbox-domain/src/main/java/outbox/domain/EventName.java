package outbox.domain;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The name under which events of a class are stored, even if the class is renamed. Without it, and without an entry in
 * {@link DomainEventTypes}, the class name is stored, and events that were written before a renaming can no longer be read.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface EventName {

    /** The name; it becomes the event type. */
    String value();

    /** The version of the payload's form, at least 1; consumers tell forms apart by it. */
    int version() default 1;
}
