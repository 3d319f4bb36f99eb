package outbox.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import outbox.AfterDead;

/**
 * Makes a method of a bean the listener of events. It is called after their transactions have committed, at least once for each.
 *
 * <pre>{@code
 * @OutboxListener
 * void ship(OrderPlaced event, Delivery delivery) { warehouse.ship(event.orderId(), delivery.eventId()); }
 * }</pre>
 *
 * <p><b>Parameters</b>, in any order: the payload as a class of your own (read as JSON), as {@code String} or {@code byte[]};
 * {@link outbox.EventEnvelope}; {@link outbox.Delivery}; {@link Header}. Or a single {@code List} of payloads, envelopes or deliveries: then the
 * method gets batches.
 *
 * <p><b>Returns</b> nothing, an {@link outbox.Outcome}, or a {@link java.util.concurrent.CompletionStage} (of an outcome or of anything); a
 * batch nothing or a {@code List<Outcome>}.
 *
 * <p>One method takes the events of a type. Several do if each names a {@link #group}. A method that cannot be called so fails at the start.
 * Values that are texts may hold placeholders such as {@code ${shop.timeout}}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface OutboxListener {

    /** The types of events. Default: that of the payload's class, see {@link Outboxed#type}. {@code *} stands for all that nobody else takes. */
    String[] value() default {};

    /** Only events of that aggregate type; without {@link #value} and a payload's class all events of it. */
    String aggregateType() default "";

    /** By which name logs, meters and pauses know it. Default: the simple name of the class and the method's, as in {@code Orders.ship}. */
    String id() default "";

    /** Whose events: the name of one under {@code outbox.more}. Default: those of the one outbox that needs no name. */
    String outbox() default "";

    /**
     * Who listens, if several methods take events of one type. Each group handles an event once in effect: a record of it is committed with the
     * database work of the method. A group has attempts and times of its own.
     */
    String group() default "";

    /** With a {@link #group}: whether the method runs in the transaction that records it; false keeps others out by a lease instead. */
    boolean transaction() default true;

    /** How many failures are the end. Default: {@code outbox.relay.max-attempts}. */
    int maxAttempts() default 0;

    /** How long to wait after the first failure; doubled with each further one. Default: {@code outbox.retry.first-delay}. */
    String firstRetry() default "";

    /** The longest time to wait after a failure. Default: {@code outbox.retry.longest-delay}. */
    String longestRetry() default "";

    /** How long a call may take, as {@code 30s}. Default: no limit, for stages a minute. Not with a {@link #group}. */
    String timeout() default "";

    /** From which age on an event is not delivered any more, as {@code 2h}. Default: never. Not with a {@link #group}. */
    String expiresAfter() default "";

    /** How many calls, stages or batches may run at once in this process. Not with a {@link #group}. */
    int concurrency() default 0;

    /** How many events a batch has at most. */
    int batchSize() default 100;

    /** How long the first event of a batch waits for others. */
    String batchLinger() default "20ms";

    /**
     * What happens to later events of an aggregate when one that this method could not handle is DEAD; matters only in order. If several groups
     * take a type, its keys are held if one of them asks for that.
     */
    AfterDead afterDead() default AfterDead.CONTINUE;
}
