package outbox.internal.dead;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.EventListener;
import outbox.Listener;
import outbox.registry.ListenerRegistry;

/** The listeners of an application, none of which gets {@linkplain DeathNotice notices}: these have a listener of their own, or wait for one. */
public final class NoticeRoutes implements ListenerRegistry {

    private final ListenerRegistry registry;
    private final @Nullable Listener teller;

    /** @param teller null if nobody is told here */
    public NoticeRoutes(ListenerRegistry registry, @Nullable Listener teller) {
        this.registry = registry;
        this.teller = teller;
    }

    @Override
    public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
        return DeathNotice.TYPE.equals(eventType) ? teller : registry.listenerFor(aggregateType, eventType);
    }

    @Override
    public List<String> registered() {
        return registry.registered();
    }

    @Override
    public Map<String, EventListener> byName() {
        return registry.byName();
    }

    @Override
    public boolean isEmpty() {
        return registry.isEmpty();
    }
}
