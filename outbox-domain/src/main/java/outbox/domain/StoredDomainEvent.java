package outbox.domain;

import java.util.Objects;

/**
 * A domain event as it was stored, before it is turned into an object.
 *
 * @param name its logical name
 * @param version the version of its payload, at least 1
 * @param payload as the serializer wrote it at the time
 */
public record StoredDomainEvent(String name, int version, String payload) {

    public StoredDomainEvent {
        new VersionedName(Objects.requireNonNull(name, "name"), version);
        Objects.requireNonNull(payload, "payload");
    }

    VersionedName versionedName() {
        return new VersionedName(name, version);
    }

    /** Identifies the kind of event without showing its payload. */
    @Override
    public String toString() {
        return "StoredDomainEvent[" + versionedName() + "]";
    }
}
