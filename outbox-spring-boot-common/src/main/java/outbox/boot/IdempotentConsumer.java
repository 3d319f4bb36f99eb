package outbox.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Lets a method of a bean handle each event once in effect, however often it arrives: a record that the group has handled it is committed with the
 * method's database work, or neither is. The method has one parameter of type {@link outbox.EventEnvelope} and is called outside of a
 * transaction; an event that was handled before does not reach it.
 *
 * <p>What the method throws is recorded, and thrown. If somebody else is handling the event, or its retry is not due, an
 * {@link outbox.inbox.EventConsumeFailedException} asks the sender to deliver it again.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface IdempotentConsumer {

    /** Who consumes; each group handles an event once. */
    String group();

    /** Whether the method runs in the transaction that records it; false keeps others out by a lease instead. */
    boolean transaction() default true;
}
