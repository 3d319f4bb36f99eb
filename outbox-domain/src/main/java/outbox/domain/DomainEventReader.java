package outbox.domain;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.dispatch.UnroutableEventException;
import outbox.internal.text.StoredText;

/** Turns a stored event into an object of a registered class. */
final class DomainEventReader {

    private final DomainEventTypes types;
    private final OutboxPayloadDeserializer deserializer;
    private final EventUpcaster upcaster;

    DomainEventReader(DomainEventTypes types, OutboxPayloadDeserializer deserializer, EventUpcaster upcaster) {
        this.types = types;
        this.deserializer = deserializer;
        this.upcaster = upcaster;
    }

    DomainEvent read(EventEnvelope envelope) throws UnroutableEventException {
        StoredDomainEvent stored = new StoredDomainEvent(
                types.currentName(envelope.eventType()), VersionHeader.of(envelope), envelope.payloadJson());
        Set<VersionedName> seen = new HashSet<>();
        Class<? extends DomainEvent> type = types.classOf(stored.versionedName());
        while (type == null) {
            if (!seen.add(stored.versionedName())) {
                throw new OutboxException(
                        "The upcaster goes in circles from event " + stored.versionedName() + " of id "
                                + StoredText.inOneLine(envelope.eventId())
                                + "; it must lead to a registered version or return null",
                        null);
            }
            stored = upcast(stored, envelope);
            type = types.classOf(stored.versionedName());
        }
        return deserialize(stored, type, envelope);
    }

    private StoredDomainEvent upcast(StoredDomainEvent stored, EventEnvelope envelope) throws UnroutableEventException {
        StoredDomainEvent changed = upcaster.upcast(stored);
        if (changed != null) {
            return changed;
        }
        String problem = "Event " + stored.versionedName() + " of id " + StoredText.inOneLine(envelope.eventId())
                + " is not registered and the upcaster does not know it; ";
        if (types.hasName(stored.name())) {
            // Retried: while an application is being updated, a process that knows the version may get it next time.
            throw new OutboxException(
                    problem + "register a class for that version or let the upcaster change it", null);
        }
        throw new UnroutableEventException(problem + "register a class for it and replay the event");
    }

    private DomainEvent deserialize(
            StoredDomainEvent stored, Class<? extends DomainEvent> type, EventEnvelope envelope) {
        DomainEvent event;
        try {
            event = type.cast(deserializer.deserialize(stored.payload(), type));
        } catch (RuntimeException e) {
            throw cannotBeRead(stored, type, envelope, e);
        }
        if (event == null) {
            throw cannotBeRead(stored, type, envelope, null);
        }
        return event;
    }

    private static OutboxException cannotBeRead(
            StoredDomainEvent stored, Class<?> type, EventEnvelope envelope, @Nullable RuntimeException cause) {
        return new OutboxException(
                "Event " + stored.versionedName() + " of id " + StoredText.inOneLine(envelope.eventId())
                        + " cannot be read as " + type.getName() + "; a payload of another form needs another version",
                cause);
    }
}
