package outbox.boot.listener;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import outbox.Delivery;
import outbox.EventEnvelope;
import outbox.boot.Header;
import outbox.boot.OutboxListener;

/** Lets a native image call methods with {@link OutboxListener}, and read their payloads. */
final class ListenerAotProcessor implements BeanRegistrationAotProcessor {

    private static final Set<Type> NO_PAYLOADS =
            Set.of(EventEnvelope.class, Delivery.class, String.class, byte[].class);

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = bean.getBeanClass();
        if (!AnnotationUtils.isCandidateClass(type, OutboxListener.class)) {
            return null;
        }
        Set<Method> methods = MethodIntrospector.selectMethods(
                type, (Method method) -> AnnotatedElementUtils.hasAnnotation(method, OutboxListener.class));
        return methods.isEmpty()
                ? null
                : (generation, code) -> methods.forEach(method -> register(generation.getRuntimeHints(), method));
    }

    private static void register(RuntimeHints hints, Method method) {
        hints.reflection().registerMethod(method, ExecutableMode.INVOKE);
        new BindingReflectionHintsRegistrar()
                .registerReflectionHints(hints.reflection(), payloads(method).toArray(Type[]::new));
    }

    private static List<Type> payloads(Method method) {
        List<Type> payloads = new ArrayList<>();
        for (var parameter : method.getParameters()) {
            Type type = parameter.getParameterizedType();
            Type element = parameter.getType() == List.class && type instanceof ParameterizedType list
                    ? list.getActualTypeArguments()[0]
                    : type;
            if (!parameter.isAnnotationPresent(Header.class) && !NO_PAYLOADS.contains(element)) {
                payloads.add(element);
            }
        }
        return payloads;
    }
}
