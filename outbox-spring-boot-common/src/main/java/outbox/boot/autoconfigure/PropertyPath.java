package outbox.boot.autoconfigure;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;
import outbox.boot.InvalidOutboxException;

/** Reads a property of an object, or a property of a property: components of records, getters, methods of that name, fields. Thread-safe. */
final class PropertyPath {

    private final List<String> names;
    private final Map<Property, Function<Object, @Nullable Object>> readers = new ConcurrentHashMap<>();

    private record Property(Class<?> owner, String name) {}

    /**
     * A path for objects of the class.
     *
     * @throws InvalidOutboxException if the class has no such property
     */
    PropertyPath(Class<?> owner, String path) {
        this.names = List.of(path.split("\\."));
        Property first = new Property(owner, names.get(0));
        readers.put(first, readerOf(first));
    }

    @Nullable
    Object read(Object object) {
        Object value = object;
        for (String name : names) {
            if (value == null) {
                return null;
            }
            value = readers.computeIfAbsent(new Property(value.getClass(), name), PropertyPath::readerOf)
                    .apply(value);
        }
        return value;
    }

    private static Function<Object, @Nullable Object> readerOf(Property property) {
        Class<?> owner = property.owner();
        String name = property.name();
        String capital = StringUtils.capitalize(name);
        for (String candidate : List.of(name, "get" + capital)) {
            Method method = ReflectionUtils.findMethod(owner, candidate);
            if (method != null && method.getReturnType() != void.class) {
                ReflectionUtils.makeAccessible(method);
                return object -> ReflectionUtils.invokeMethod(method, object);
            }
        }
        Field field = ReflectionUtils.findField(owner, name);
        if (field == null) {
            throw new InvalidOutboxException(
                    "@Outboxed on a class names the id \"" + name + "\", but " + owner.getName()
                            + " has no component, getter, method or field of that name",
                    "correct the name, or describe the class by an OutboxMapping bean");
        }
        ReflectionUtils.makeAccessible(field);
        return object -> ReflectionUtils.getField(field, object);
    }
}
