package outbox.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says how objects of a class become events. {@link OutboxPublisher#publish} needs it for nothing but the aggregate; with it, objects that are
 * published through Spring's {@code ApplicationEventPublisher}, by Spring Data's aggregates for instance, are written to the outbox too.
 *
 * <pre>{@code
 * @Outboxed(aggregate = "Order", id = "orderId")
 * record OrderPlaced(String orderId, BigDecimal total) {}
 * }</pre>
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface Outboxed {

    /** The aggregate type. Default: none. */
    String aggregate() default "";

    /** Which component, getter or field holds the aggregate's id; several in a row as {@code order.id}. Default: none. */
    String id() default "";

    /** The type of the event. Default: the simple name of the class. A name of its own survives a renamed class. */
    String type() default "";

    /** To which outbox objects go that are published through Spring: a name under {@code outbox.more}. Default: the one that needs no name. */
    String outbox() default "";
}
