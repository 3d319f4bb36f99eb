package outbox.boot.autoconfigure;

import java.util.Objects;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;
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
            if (AutoConfigurationPackages.has(beans)) {
                AutoConfigurationPackages.get(beans).forEach(this::check);
            }
        }
    }

    private static boolean isOrdered(OutboxSettings settings) {
        return settings.getOrdering() == Ordering.PER_AGGREGATE;
    }

    private void check(String packageName) {
        var scanner = new ClassPathScanningCandidateComponentProvider(false);
        scanner.addIncludeFilter(new AnnotationTypeFilter(Outboxed.class, false));
        for (BeanDefinition found : scanner.findCandidateComponents(packageName)) {
            Class<?> type = ClassUtils.resolveClassName(Objects.requireNonNull(found.getBeanClassName()), null);
            Outboxed said = AnnotatedElementUtils.findMergedAnnotation(type, Outboxed.class);
            if (said != null
                    && isOrdered(assembler.settings(said.outbox().isEmpty() ? OutboxAssembler.ONLY : said.outbox()))) {
                mappings.requireAggregate(type);
            }
        }
    }
}
