package outbox.domain;

import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Base class of aggregates that raise events about what happened to them. Business methods {@linkplain #raise raise} events; they wait
 * here, in order, until {@link DomainEventOutboxService} writes them in the transaction that saves the aggregate. Raising publishes nothing.
 *
 * <p>Not thread-safe, as aggregates are not.
 */
public abstract class AggregateRoot {

    /** Keyed by their position among all events of this object, so that events that come back after a rollback find their place again. */
    private final NavigableMap<Long, DomainEvent> waiting = new TreeMap<>();

    private long raised;

    /** Creates an aggregate that has raised nothing. */
    protected AggregateRoot() {}

    /** Remembers an event; business methods call it when they have made the change that the event is about. */
    protected final void raise(DomainEvent event) {
        waiting.put(raised, Objects.requireNonNull(event, "event"));
        raised++;
    }

    /**
     * Returns the events that wait, in the order in which they were raised, and forgets them.
     *
     * <p>The caller is responsible for them from then on, even if the transaction fails;
     * {@link DomainEventOutboxService#recordPulledDomainEvents} takes care of that.
     */
    public final List<DomainEvent> pullDomainEvents() {
        return List.copyOf(take().values());
    }

    /** The waiting events, by position. */
    final NavigableMap<Long, DomainEvent> waiting() {
        return new TreeMap<>(waiting);
    }

    /** As {@link #pullDomainEvents()}, with their positions. */
    final NavigableMap<Long, DomainEvent> take() {
        NavigableMap<Long, DomainEvent> taken = waiting();
        waiting.clear();
        return taken;
    }

    /** Puts events back to where they were. */
    final void putBack(NavigableMap<Long, DomainEvent> taken) {
        waiting.putAll(taken);
    }
}
