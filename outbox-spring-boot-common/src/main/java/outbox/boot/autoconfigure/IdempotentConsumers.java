package outbox.boot.autoconfigure;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils;
import outbox.EventEnvelope;
import outbox.boot.IdempotentConsumer;
import outbox.boot.InvalidOutboxException;
import outbox.inbox.Acquisition;
import outbox.inbox.ConsumeOptions;
import outbox.inbox.ConsumeResult;
import outbox.inbox.EventConsumeFailedException;
import outbox.inbox.EventHandlerTemplate;

/** Puts the inbox around methods with {@link IdempotentConsumer}, outside of their transactions. */
final class IdempotentConsumers extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements SmartInitializingSingleton {

    private static final long serialVersionUID = 1L;

    private final transient BeanFactory beans;
    private volatile boolean needed;

    IdempotentConsumers(BeanFactory beans) {
        this.beans = beans;
        this.advisor = new DefaultPointcutAdvisor(
                AnnotationMatchingPointcut.forMethodAnnotation(IdempotentConsumer.class),
                (MethodInterceptor) this::handleOnce);
        setProxyTargetClass(true);
        setBeforeExistingAdvisors(true);
        setOrder(Ordered.LOWEST_PRECEDENCE);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) throws BeansException {
        Object advised = super.postProcessAfterInitialization(bean, beanName);
        if (advised != bean || bean instanceof Advised) {
            requireUsable(AopUtils.getTargetClass(bean));
        }
        return advised;
    }

    /** A missing table is told at the start, and not by the first event. */
    @Override
    public void afterSingletonsInstantiated() {
        if (needed) {
            beans.getBean(EventHandlerTemplate.class);
        }
    }

    private void requireUsable(Class<?> type) {
        for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
            IdempotentConsumer said = AnnotatedElementUtils.findMergedAnnotation(method, IdempotentConsumer.class);
            needed |= said != null;
            if (said != null
                    && (method.getParameterCount() != 1 || method.getParameterTypes()[0] != EventEnvelope.class)) {
                throw new InvalidOutboxException(
                        "@IdempotentConsumer " + type.getSimpleName() + "." + method.getName() + " has the parameters "
                                + Arrays.stream(method.getParameterTypes())
                                        .map(Class::getSimpleName)
                                        .toList(),
                        "give it one parameter, the EventEnvelope");
            }
        }
    }

    private @Nullable Object handleOnce(MethodInvocation invocation) {
        IdempotentConsumer said =
                AnnotatedElementUtils.findMergedAnnotation(invocation.getMethod(), IdempotentConsumer.class);
        EventEnvelope event = (EventEnvelope) invocation.getArguments()[0];
        if (said == null || event == null) {
            throw new IllegalArgumentException("the event must be given, was null");
        }
        ConsumeOptions options = ConsumeOptions.retriedBySender()
                .withAcquisition(said.transaction() ? Acquisition.TRANSACTION : Acquisition.LEASE);
        Object[] returned = new Object[1];
        ConsumeResult result = beans.getBean(EventHandlerTemplate.class)
                .consume(said.group(), event, arrived -> returned[0] = proceed(invocation), options);
        if (!result.done()) {
            throw new EventConsumeFailedException(
                    "event " + event.eventId() + " is in progress in group " + said.group()
                            + "; deliver it again later",
                    null);
        }
        return returned[0];
    }

    private static @Nullable Object proceed(MethodInvocation invocation) throws Exception {
        try {
            return invocation.proceed();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
