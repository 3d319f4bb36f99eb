package outbox.domain;

import outbox.internal.text.StoredText;

/** The name and version under which an event is stored. */
record VersionedName(String name, int version) {

    VersionedName {
        if (name.isBlank()) {
            throw new IllegalArgumentException("event name must not be empty, was \"" + name + "\"");
        }
        if (version < 1) {
            throw new IllegalArgumentException("version of event \"" + name + "\" must be >= 1, was " + version);
        }
    }

    /** What the class declares. */
    static VersionedName declaredBy(Class<?> type) {
        EventName declared = type.getAnnotation(EventName.class);
        return declared == null
                ? new VersionedName(type.getName(), 1)
                : new VersionedName(declared.value(), declared.version());
    }

    @Override
    public String toString() {
        return StoredText.inOneLine("\"" + name + "\" version " + version);
    }
}
