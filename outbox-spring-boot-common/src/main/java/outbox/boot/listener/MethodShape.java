package outbox.boot.listener;

import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import outbox.Delivery;
import outbox.EventEnvelope;
import outbox.Outcome;
import outbox.PermanentFailureException;
import outbox.boot.Header;
import outbox.boot.PayloadFormat;

/** What a method takes and returns, and how its arguments are made from a delivery. */
final class MethodShape {

    /** Makes an argument of a delivery. */
    private interface Argument {
        @Nullable
        Object of(Delivery delivery);
    }

    /** How a method is called. */
    enum Kind {
        /** Once for each event; it has done its work when it returns. */
        DIRECT,
        /** Once for each event; it has done its work when its stage completes. */
        ASYNC,
        /** With many events. */
        BATCH
    }

    private final Said said;
    private final Method method;
    private final PayloadFormat format;
    private final List<Argument> arguments = new ArrayList<>();
    private final Kind kind;
    private @Nullable Type payload;

    MethodShape(Said said, Method method, Class<?> beanClass, PayloadFormat format) {
        this.said = said;
        this.method = method;
        this.format = format;
        boolean batch = method.getParameterCount() > 0
                && method.getParameterTypes()[0] == List.class
                && !method.getParameters()[0].isAnnotationPresent(Header.class);
        if (batch && method.getParameterCount() > 1) {
            throw said.invalid(
                    "a batch has one parameter, the List, but there are " + method.getParameterCount(),
                    "take a List<Delivery>, which knows all of each event");
        }
        for (Parameter parameter : method.getParameters()) {
            Type type = GenericTypeResolver.resolveType(parameter.getParameterizedType(), beanClass);
            arguments.add(batch ? argument(elementOf(type)) : argument(parameter, type));
        }
        this.kind = kind(batch);
    }

    private Type elementOf(Type list) {
        if (list instanceof ParameterizedType generic) {
            return generic.getActualTypeArguments()[0];
        }
        throw said.invalid(
                "a List without a type says nothing of what is in it",
                "write List<EventEnvelope>, List<Delivery> or a List of payloads");
    }

    private Kind kind(boolean batch) {
        Class<?> returned = method.getReturnType();
        boolean nothing = returned == void.class || returned == Void.class;
        if (batch) {
            requireReturn(nothing || returned == List.class, "nothing or List<Outcome>");
            return Kind.BATCH;
        }
        if (CompletionStage.class.isAssignableFrom(returned)) {
            return Kind.ASYNC;
        }
        requireReturn(nothing || Outcome.class.isAssignableFrom(returned), "nothing, an Outcome or a CompletionStage");
        return Kind.DIRECT;
    }

    private void requireReturn(boolean right, String allowed) {
        if (!right) {
            throw said.invalid(
                    "it returns " + method.getReturnType().getSimpleName() + ", which says nothing about the event",
                    "return " + allowed);
        }
    }

    private Argument argument(Parameter parameter, Type type) {
        Header header = parameter.getAnnotation(Header.class);
        return header == null ? argument(type) : header(header, type);
    }

    private Argument argument(Type type) {
        if (type == EventEnvelope.class) {
            return Delivery::event;
        }
        if (type == Delivery.class) {
            return delivery -> delivery;
        }
        if (payload != null) {
            throw said.invalid(
                    "it has two parameters for the payload, " + payload.getTypeName() + " and " + type.getTypeName(),
                    "leave one of them out, or mark it as a @Header");
        }
        payload = type;
        if (type == String.class) {
            return delivery -> delivery.event().payloadJson();
        }
        if (type == byte[].class) {
            return delivery -> delivery.event().payloadBytes();
        }
        return delivery -> read(delivery.event(), type);
    }

    /** No other attempt would read it. */
    private Object read(EventEnvelope event, Type type) {
        try {
            return format.read(event.payloadJson(), type);
        } catch (IllegalArgumentException e) {
            throw new PermanentFailureException("the payload cannot be read as " + type.getTypeName(), e);
        }
    }

    private Argument header(Header header, Type type) {
        String name = header.value();
        if (name.isEmpty() && type instanceof ParameterizedType map && map.getRawType() == Map.class) {
            return delivery -> delivery.event().headers();
        }
        if (name.isEmpty() || type != String.class) {
            throw said.invalid(
                    "a @Header is a String with a name, or all of them as a Map<String, String>, but this one is "
                            + type.getTypeName() + " with the name \"" + name + "\"",
                    "write @Header(\"name\") String");
        }
        return delivery -> {
            String value = delivery.event().headers().get(name);
            if (value == null && header.required()) {
                throw new PermanentFailureException("the event has no header \"" + name + "\"", null);
            }
            return value;
        };
    }

    Kind kind() {
        return kind;
    }

    /** The payload's class, which may name the type of events; null if it is a text, or not asked for. */
    @Nullable
    Class<?> payloadClass() {
        return payload instanceof Class<?> type && !type.getName().startsWith("java.") && !type.isArray() ? type : null;
    }

    /** The arguments for one event; of a batch its element. */
    @Nullable
    Object[] arguments(Delivery delivery) {
        return arguments.stream().map(argument -> argument.of(delivery)).toArray();
    }
}
