package outbox.boot.autoconfigure;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.env.Environment;
import outbox.VirtualThreads;
import outbox.boot.listener.AnnotatedListeners;
import outbox.boot.listener.GroupRecords;
import outbox.boot.listener.ListenerDefaults;

/** What the listeners are told of the outboxes whose events they take. */
final class ListenerOutboxes implements AnnotatedListeners.Outboxes {

    private final OutboxAssembler assembler;
    private final BeanFactory beans;
    private final Environment environment;
    private final Map<String, GroupRecords> records = new ConcurrentHashMap<>();

    ListenerOutboxes(OutboxAssembler assembler, BeanFactory beans, Environment environment) {
        this.assembler = assembler;
        this.beans = beans;
        this.environment = environment;
    }

    @Override
    public ListenerDefaults defaults(String outbox) {
        OutboxSettings settings = assembler.settings(outbox);
        RelaySettings relay = settings.getRelay();
        return new ListenerDefaults(
                relay.getMaxAttempts(),
                settings.getRetry().getFirstDelay(),
                settings.getRetry().getLongestDelay(),
                relay.getWorkers(),
                isVirtual() ? relay.getVirtualThreads() : 0);
    }

    /** As Spring Boot decides it, by a class that has moved. */
    private boolean isVirtual() {
        return VirtualThreads.areThere()
                && environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false);
    }

    @Override
    public boolean delivers(String outbox) {
        return assembler.settings(outbox).getRelay().isEnabled();
    }

    @Override
    public GroupRecords groupRecords(String outbox) {
        return records.computeIfAbsent(
                outbox,
                name -> beans.getBean(Inboxes.class)
                        .ready(assembler.settings(name))
                        .groupRecords());
    }
}
