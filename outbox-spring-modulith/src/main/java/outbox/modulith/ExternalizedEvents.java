package outbox.modulith;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.ParserContext;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.RoutingTarget;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.boot.EventTypes;
import outbox.boot.Outboxed;
import outbox.boot.PayloadFormat;

/**
 * Writes what Modulith's configuration selects to the outbox, in the transaction that publishes it: the target is the aggregate type, the routing
 * key the aggregate's id, and mapping and headers are the configuration's. What carries {@link Outboxed} goes there by itself and is left out.
 */
final class ExternalizedEvents implements ApplicationListener<PayloadApplicationEvent<?>> {

    private final EventExternalizationConfiguration configuration;
    private final OutboxWriter writer;
    private final EventTypes types;
    private final PayloadFormat format;
    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final StandardEvaluationContext expressions = new StandardEvaluationContext();

    ExternalizedEvents(
            EventExternalizationConfiguration configuration,
            OutboxWriter writer,
            EventTypes types,
            PayloadFormat format,
            BeanFactory beans) {
        this.configuration = configuration;
        this.writer = writer;
        this.types = types;
        this.format = format;
        this.expressions.setBeanResolver(new BeanFactoryResolver(beans));
    }

    @Override
    public void onApplicationEvent(PayloadApplicationEvent<?> published) {
        Object event = published.getPayload();
        if (configuration.supports(event) && !AnnotatedElementUtils.hasAnnotation(event.getClass(), Outboxed.class)) {
            writer.write(envelope(event));
        }
    }

    private EventEnvelope envelope(Object event) {
        RoutingTarget target = configuration.determineTarget(event);
        return EventEnvelope.builder(types.eventTypeOf(event.getClass()))
                .aggregateType(value(target.getTarget(), event))
                .aggregateId(value(target.getKey(), event))
                .headers(texts(configuration.getHeadersFor(event)))
                .payloadJson(format.write(configuration.map(event)))
                .build();
    }

    /** Targets and keys may be templates of expressions, as in {@code #{#this.orderId()}}. */
    private @Nullable String value(@Nullable String template, Object event) {
        return template == null
                ? null
                : parser.parseExpression(template, ParserContext.TEMPLATE_EXPRESSION)
                        .getValue(expressions, event, String.class);
    }

    private static Map<String, @Nullable String> texts(Map<String, Object> headers) {
        Map<String, @Nullable String> texts = new LinkedHashMap<>();
        headers.forEach((name, value) -> texts.put(name, value == null ? null : value.toString()));
        return texts;
    }

    /** The transaction is that of the thread that publishes. */
    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }
}
