package outbox.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A parameter of an {@link OutboxListener} method: a header of the event as a {@code String}, or all of them as a
 * {@code Map<String, String>}.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Header {

    /** The name of the header; not for a map. */
    String value() default "";

    /** Whether an event without it is DEAD at once; otherwise the parameter is null. */
    boolean required() default true;
}
