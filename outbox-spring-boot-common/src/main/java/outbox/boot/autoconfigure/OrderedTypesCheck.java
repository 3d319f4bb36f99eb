package outbox.boot.autoconfigure;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.annotation.AnnotatedElementUtils;
import outbox.boot.Outboxed;
import outbox.dispatch.Ordering;

/** At the start, if an outbox keeps order: all classes of the application that become its events say what they are about. */
final class OrderedTypesCheck implements SmartInitializingSingleton {

    private final BeanFactory beans;
    private final OutboxAssembler assembler;
    private final OutboxProperties properties;
    private final EventMappings mappings;

    OrderedTypesCheck(
            BeanFactory beans, OutboxAssembler assembler, OutboxProperties properties, EventMappings mappings) {
        this.beans = beans;
        this.assembler = assembler;
        this.properties = properties;
        this.mappings = mappings;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (isOrdered(properties) || properties.getMore().values().stream().anyMatch(OrderedTypesCheck::isOrdered)) {
            OutboxedTypes.in(beans).forEach(this::check);
        }
    }

    private static boolean isOrdered(OutboxSettings settings) {
        return settings.getOrdering() == Ordering.PER_AGGREGATE;
    }

    private void check(Class<?> type) {
        Outboxed said = AnnotatedElementUtils.findMergedAnnotation(type, Outboxed.class);
        if (said != null
                && isOrdered(assembler.settings(said.outbox().isEmpty() ? OutboxAssembler.ONLY : said.outbox()))) {
            mappings.requireAggregate(type);
        }
    }
}
