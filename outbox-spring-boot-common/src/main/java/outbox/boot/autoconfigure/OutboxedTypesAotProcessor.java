package outbox.boot.autoconfigure;

import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Lets a native image write objects with {@code @Outboxed} as JSON and read what they are about. */
final class OutboxedTypesAotProcessor implements BeanFactoryInitializationAotProcessor {

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beans) {
        List<Class<?>> types = OutboxedTypes.in(beans);
        return types.isEmpty()
                ? null
                : (generation, code) -> new BindingReflectionHintsRegistrar()
                        .registerReflectionHints(generation.getRuntimeHints().reflection(), types.toArray(Type[]::new));
    }
}
