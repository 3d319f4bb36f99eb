package outbox.boot.test;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Adds the recording to the contexts of tests with {@link OutboxTest}. */
final class OutboxTestCustomizerFactory implements ContextCustomizerFactory {

    OutboxTestCustomizerFactory() {}

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        OutboxTest said = TestContextAnnotationUtils.findMergedAnnotation(testClass, OutboxTest.class);
        return said == null ? null : new Recording(said.relay());
    }

    /** Equal ones share a context. */
    private record Recording(boolean relay) implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource("outboxTest", Map.of("outbox.relay.enabled", relay)));
            if (context instanceof BeanDefinitionRegistry registry) {
                new AnnotatedBeanDefinitionReader(registry, context.getEnvironment())
                        .register(RecordingConfiguration.class);
            }
        }
    }
}
