package outbox.domain;

import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Base of aggregates that tell what happened to them. Business methods {@linkplain #raise raise} events; they wait here, in order, until
 * {@link DomainEventOutboxService} writes them in the transaction that saves the aggregate. Raising publishes nothing.
 *
 * <p>Not thread-safe, as aggregates are not.
 */
public abstract class AggregateRoot {

    /** By their place among all events of this object, so that what comes back after a rollback finds its place again. */
    private final NavigableMap<Long, DomainEvent> waiting = new TreeMap<>();

    private long raised;

    /** Creates an aggregate that has raised nothing. */
    protected AggregateRoot() {}

    /** Remembers an event; for business methods, when the change that it tells of has been made. */
    protected final void raise(DomainEvent event) {
        waiting.put(raised, Objects.requireNonNull(event, "event"));
        raised++;
    }

    /**
     * Returns the events that wait, in the order in which they were raised, and forgets them.
     *
     * <p>Who calls this is responsible for them from then on, also if the transaction fails;
     * {@link DomainEventOutboxService#recordPulledDomainEvents} takes care of that.
     */
    public final List<DomainEvent> pullDomainEvents() {
        return List.copyOf(take().values());
    }

    /** The events that wait, by their places. */
    final NavigableMap<Long, DomainEvent> waiting() {
        return new TreeMap<>(waiting);
    }

    /** As {@link #pullDomainEvents()}, with their places. */
    final NavigableMap<Long, DomainEvent> take() {
        NavigableMap<Long, DomainEvent> taken = waiting();
        waiting.clear();
        return taken;
    }

    /** Lets events wait again, at the places that they had. */
    final void putBack(NavigableMap<Long, DomainEvent> taken) {
        waiting.putAll(taken);
    }
}
