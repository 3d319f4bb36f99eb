package outbox.boot.autoconfigure;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.core.annotation.AnnotatedElementUtils;
import outbox.boot.OutboxPublisher;
import outbox.boot.Outboxed;

/**
 * Writes what is published through Spring to the outbox if its class carries {@link Outboxed}; Spring Data publishes the events of aggregates so.
 * Always in the thread that publishes, whose transaction it is.
 */
final class ApplicationEventBridge implements ApplicationListener<PayloadApplicationEvent<?>> {

    private final BeanFactory beans;
    private final Map<Class<?>, Optional<String>> publishers = new ConcurrentHashMap<>();

    ApplicationEventBridge(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public void onApplicationEvent(PayloadApplicationEvent<?> event) {
        Object payload = event.getPayload();
        publishers
                .computeIfAbsent(payload.getClass(), ApplicationEventBridge::publisherOf)
                .ifPresent(name -> beans.getBean(name, OutboxPublisher.class).publish(payload));
    }

    private static Optional<String> publisherOf(Class<?> type) {
        return Optional.ofNullable(AnnotatedElementUtils.findMergedAnnotation(type, Outboxed.class))
                .map(said -> OutboxBeanNames.publisher(said.outbox().isEmpty() ? OutboxAssembler.ONLY : said.outbox()));
    }

    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }
}
