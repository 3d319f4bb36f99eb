package outbox.boot.autoconfigure;

import java.util.Map;
import java.util.TreeSet;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.boot.OutboxPublisher;

/** The beans of the outboxes under {@code outbox.more}: where one is asked for without a name, the one that needs none is meant. */
final class NamedOutboxes implements ImportBeanDefinitionRegistrar, EnvironmentAware {

    private static final Bindable<Map<String, Object>> NAMES = Bindable.mapOf(String.class, Object.class);

    private final TreeSet<String> names = new TreeSet<>();

    @Override
    public void setEnvironment(Environment environment) {
        Binder.get(environment).bind("outbox.more", NAMES).ifBound(more -> names.addAll(more.keySet()));
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
        for (String name : names) {
            register(registry, OutboxBeanNames.outbox(name), definition(Outbox.class, "outbox", name));
            register(registry, OutboxBeanNames.writer(name), definition(OutboxWriter.class, "writer", name));
            register(registry, OutboxBeanNames.publisher(name), definition(OutboxPublisher.class, "publisher", name));
            register(registry, OutboxBeanNames.lifecycle(name), definition(OutboxLifecycle.class, "lifecycle", name));
        }
    }

    private static void register(BeanDefinitionRegistry registry, String beanName, RootBeanDefinition definition) {
        if (!registry.containsBeanDefinition(beanName)) {
            registry.registerBeanDefinition(beanName, definition);
        }
    }

    private static RootBeanDefinition definition(Class<?> type, String method, String name) {
        RootBeanDefinition definition = new RootBeanDefinition();
        definition.setTargetType(type);
        definition.setFactoryBeanName(OutboxAssembler.BEAN);
        definition.setFactoryMethodName(method);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
        definition.setRole(BeanDefinition.ROLE_APPLICATION);
        definition.setDestroyMethodName("(inferred)");
        return definition;
    }
}
