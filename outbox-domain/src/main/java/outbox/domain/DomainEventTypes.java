package outbox.domain;

import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The event classes, and the name and version under which each is stored. Immutable.
 *
 * <p>For writing, a class that is not registered is stored under its {@link EventName} or else its class name. For reading, only
 * registered classes are ever instantiated: a name that comes from the table never loads a class.
 */
public final class DomainEventTypes {

    private final Map<VersionedName, Class<? extends DomainEvent>> classes;
    private final Map<Class<? extends DomainEvent>, VersionedName> names;
    private final Map<String, String> formerNames;

    private DomainEventTypes(Builder builder) {
        this.classes = Map.copyOf(builder.classes);
        this.names = new LinkedHashMap<>(builder.names);
        this.formerNames = Map.copyOf(builder.formerNames);
    }

    /** The given classes, each under the name that it declares; for a sealed type, all classes that it permits. */
    @SafeVarargs
    public static DomainEventTypes of(Class<? extends DomainEvent>... types) {
        Builder builder = builder();
        for (Class<? extends DomainEvent> type : types) {
            builder.register(type);
        }
        return builder.build();
    }

    /** Starts building a registry of event types. */
    public static Builder builder() {
        return new Builder();
    }

    VersionedName nameOf(Class<? extends DomainEvent> type) {
        VersionedName registered = names.get(type);
        return registered != null ? registered : VersionedName.declaredBy(type);
    }

    @Nullable
    Class<? extends DomainEvent> classOf(VersionedName name) {
        return classes.get(name);
    }

    /** The present name of events that were stored under the given one. */
    String currentName(String name) {
        return formerNames.getOrDefault(name, name);
    }

    boolean hasName(String name) {
        return classes.keySet().stream().anyMatch(known -> known.name().equals(name));
    }

    Collection<Class<? extends DomainEvent>> registered() {
        return names.keySet();
    }

    /** Collects event types. Not thread-safe. */
    public static final class Builder {

        private final Map<VersionedName, Class<? extends DomainEvent>> classes = new HashMap<>();
        private final Map<Class<? extends DomainEvent>, VersionedName> names = new LinkedHashMap<>();
        private final Map<String, String> formerNames = new HashMap<>();

        private Builder() {}

        /**
         * Registers a class under the name that it declares; for a sealed type, all classes that it permits.
         *
         * @throws IllegalArgumentException if the class is abstract and not sealed, or it or its name is already registered
         */
        public Builder register(Class<? extends DomainEvent> type) {
            if (type.isSealed()) {
                for (Class<?> permitted : type.getPermittedSubclasses()) {
                    register(permitted.asSubclass(DomainEvent.class));
                }
            }
            if (!type.isSealed() || !isAbstract(type)) {
                add(type, VersionedName.declaredBy(type));
            }
            return this;
        }

        /**
         * Registers a class under the given name and version, whatever it declares; for domain code that must not carry annotations.
         *
         * @throws IllegalArgumentException as {@link #register(Class)}
         */
        public Builder register(Class<? extends DomainEvent> type, String name, int version) {
            add(type, new VersionedName(Objects.requireNonNull(name, "name"), version));
            return this;
        }

        /**
         * Declares that events of a registered class were once stored under another name, such as the class name before there was an
         * annotation.
         *
         * @throws IllegalArgumentException if the class is not registered, or the name belongs to another event
         */
        public Builder formerName(String formerName, Class<? extends DomainEvent> type) {
            VersionedName name = names.get(type);
            if (name == null) {
                throw new IllegalArgumentException(type.getName()
                        + " is not registered; register it before its former name \"" + formerName + "\"");
            }
            String other = formerNames.putIfAbsent(Objects.requireNonNull(formerName, "formerName"), name.name());
            if (other != null && !other.equals(name.name())) {
                throw new IllegalArgumentException("former name \"" + formerName + "\" of \"" + name.name()
                        + "\" already belongs to \"" + other + "\"; one of them must be wrong");
            }
            return this;
        }

        /**
         * Makes the registry.
         *
         * @throws IllegalArgumentException if a former name of one event is the present name of another
         */
        public DomainEventTypes build() {
            for (VersionedName name : classes.keySet()) {
                String current = formerNames.getOrDefault(name.name(), name.name());
                if (!current.equals(name.name())) {
                    throw new IllegalArgumentException("former name \"" + name.name() + "\" of \"" + current
                            + "\" is the present name of " + classes.get(name) + "; give that another name");
                }
            }
            return new DomainEventTypes(this);
        }

        private void add(Class<? extends DomainEvent> type, VersionedName name) {
            if (isAbstract(type)) {
                throw new IllegalArgumentException(
                        type.getName()
                                + " is abstract, so no event can be an instance of it; register the classes that implement it, or make it sealed");
            }
            Class<?> other = classes.putIfAbsent(name, type);
            if (other != null && !other.equals(type)) {
                throw new IllegalArgumentException("event " + name + " is already registered for " + other.getName()
                        + " and cannot also be " + type.getName() + "; give one of them another name or version");
            }
            VersionedName before = names.putIfAbsent(type, name);
            if (before != null && !before.equals(name)) {
                throw new IllegalArgumentException(
                        type.getName() + " is already registered as event " + before + " and cannot also be " + name);
            }
        }

        private static boolean isAbstract(Class<?> type) {
            return Modifier.isAbstract(type.getModifiers());
        }
    }
}
