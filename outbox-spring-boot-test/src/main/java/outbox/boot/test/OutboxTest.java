package outbox.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.core.annotation.AliasFor;

/**
 * A {@link SpringBootTest} that sees what the application writes to its outbox: test methods may have parameters of the types
 * {@link outbox.testing.RecordedEvents} and {@link outbox.testing.OutboxProbe}, which are beans as well and are emptied before each test.
 *
 * <p>Nothing is delivered by itself, so that a test is not at the mercy of threads: {@code probe.dispatchNow()} calls the listeners. With
 * {@link #relay} the outbox delivers as in production, and {@code probe.awaitIdle()} waits for it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@SpringBootTest
@ExtendWith(OutboxTestParameters.class)
public @interface OutboxTest {

    /** Whether the outbox delivers as in production. */
    boolean relay() default false;

    /** As that of {@link SpringBootTest}. */
    @AliasFor(annotation = SpringBootTest.class)
    String[] properties() default {};

    /** As that of {@link SpringBootTest}. */
    @AliasFor(annotation = SpringBootTest.class)
    Class<?>[] classes() default {};
}
