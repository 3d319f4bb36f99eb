package outbox.domain;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.dispatch.UnroutableEventException;
import outbox.internal.text.StoredText;

/**
 * Hands domain events to handlers as objects of their classes. Register it as the default listener of an outbox, or as that of an
 * aggregate type.
 *
 * <p>Each event goes to one handler: that of its own class, else that of its nearest supertype. An event without a handler ends DEAD;
 * {@code on(DomainEvent.class, event -> {})} ignores all other events.
 */
public final class DomainEventListener implements EventListener {

    private final DomainEventReader reader;
    private final Map<Class<? extends DomainEvent>, DomainEventHandler<DomainEvent>> handlers;

    private DomainEventListener(
            DomainEventReader reader, Map<Class<? extends DomainEvent>, DomainEventHandler<DomainEvent>> handlers) {
        this.reader = reader;
        this.handlers = Map.copyOf(handlers);
    }

    /** Starts building a listener for events of the given types. */
    public static Builder builder(DomainEventTypes types, OutboxPayloadDeserializer deserializer) {
        return new Builder(types, deserializer);
    }

    @Override
    public void onEvent(EventEnvelope event) throws Exception {
        DomainEvent domainEvent = reader.read(event);
        DomainEventHandler<DomainEvent> handler = handlers.get(domainEvent.getClass());
        if (handler == null) {
            throw new UnroutableEventException(
                    "No handler for " + domainEvent.getClass().getName() + " of event "
                            + StoredText.inOneLine(event.eventId()) + "; add one with on(…) and replay the event");
        }
        handler.handle(domainEvent);
    }

    /** Collects handlers. Not thread-safe. */
    public static final class Builder {

        private final DomainEventTypes types;
        private final OutboxPayloadDeserializer deserializer;
        private final Map<Class<?>, DomainEventHandler<DomainEvent>> handlers = new LinkedHashMap<>();
        private EventUpcaster upcaster = EventUpcaster.NONE;

        private Builder(DomainEventTypes types, OutboxPayloadDeserializer deserializer) {
            this.types = Objects.requireNonNull(types, "types");
            this.deserializer = Objects.requireNonNull(deserializer, "deserializer");
        }

        /**
         * Passes events of a class, or of all subtypes of a type, to the handler.
         *
         * @throws IllegalArgumentException if the type already has a handler, or no registered class is a subtype of it
         */
        public <E extends DomainEvent> Builder on(Class<E> type, DomainEventHandler<? super E> handler) {
            Objects.requireNonNull(handler, "handler");
            if (types.registered().stream().noneMatch(type::isAssignableFrom)) {
                throw new IllegalArgumentException("No event of type " + type.getName()
                        + " can arrive, because no such class is registered; add it to DomainEventTypes");
            }
            DomainEventHandler<DomainEvent> typed = event -> handler.handle(type.cast(event));
            if (handlers.putIfAbsent(type, typed) != null) {
                throw new IllegalArgumentException(type.getName() + " already has a handler; each type has one");
            }
            return this;
        }

        /** What to ask about names and versions that are not registered. Default: {@link EventUpcaster#NONE}. */
        public Builder upcaster(EventUpcaster eventUpcaster) {
            upcaster = Objects.requireNonNull(eventUpcaster, "eventUpcaster");
            return this;
        }

        /**
         * Makes the listener.
         *
         * @throws IllegalArgumentException if an event would have several handlers and none of them is the nearest
         */
        public DomainEventListener build() {
            Map<Class<? extends DomainEvent>, DomainEventHandler<DomainEvent>> chosen = new HashMap<>();
            for (Class<? extends DomainEvent> type : types.registered()) {
                List<Class<?>> nearest = nearestTo(type);
                if (nearest.size() > 1) {
                    throw new IllegalArgumentException(type.getName() + " would have several handlers, for " + nearest
                            + "; add one for the class itself");
                }
                nearest.forEach(found -> chosen.put(type, Objects.requireNonNull(handlers.get(found))));
            }
            return new DomainEventListener(new DomainEventReader(types, deserializer, upcaster), chosen);
        }

        /** The supertypes of the class that have a handler, without those that are supertypes of another of them. */
        private List<Class<?>> nearestTo(Class<?> type) {
            List<Class<?>> above = handlers.keySet().stream()
                    .filter(handled -> handled.isAssignableFrom(type))
                    .toList();
            return above.stream()
                    .filter(one -> above.stream().noneMatch(other -> !other.equals(one) && one.isAssignableFrom(other)))
                    .toList();
        }
    }
}
