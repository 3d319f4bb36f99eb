package outbox.boot.test;

import java.util.Set;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.springframework.test.context.junit.jupiter.SpringExtension;
import outbox.testing.OutboxProbe;
import outbox.testing.RecordedEvents;

/** Gives test methods what they ask for, and begins each test with nothing recorded. */
final class OutboxTestParameters implements ParameterResolver, BeforeEachCallback {

    private static final Set<Class<?>> KNOWN = Set.of(RecordedEvents.class, OutboxProbe.class);

    OutboxTestParameters() {}

    @Override
    public void beforeEach(ExtensionContext context) {
        SpringExtension.getApplicationContext(context)
                .getBean(OutboxProbe.class)
                .reset();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return KNOWN.contains(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return SpringExtension.getApplicationContext(context)
                .getBean(parameter.getParameter().getType());
    }
}
