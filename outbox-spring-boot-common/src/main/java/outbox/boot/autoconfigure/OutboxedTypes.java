package outbox.boot.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;
import outbox.boot.Outboxed;

/** The classes of an application that carry {@link Outboxed}. */
final class OutboxedTypes {

    private OutboxedTypes() {}

    /** Those in the packages of the application. */
    static List<Class<?>> in(BeanFactory beans) {
        List<Class<?>> found = new ArrayList<>();
        if (AutoConfigurationPackages.has(beans)) {
            var scanner = new ClassPathScanningCandidateComponentProvider(false);
            scanner.addIncludeFilter(new AnnotationTypeFilter(Outboxed.class, false));
            for (String packageName : AutoConfigurationPackages.get(beans)) {
                for (BeanDefinition type : scanner.findCandidateComponents(packageName)) {
                    found.add(ClassUtils.resolveClassName(Objects.requireNonNull(type.getBeanClassName()), null));
                }
            }
        }
        return found;
    }
}
