package outbox.boot.listener;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import outbox.EventListener;
import outbox.boot.InvalidOutboxException;
import outbox.boot.OutboxListener;
import outbox.boot.PayloadFormat;
import outbox.boot.listener.ListenerTable.Route;
import outbox.internal.text.SafeLog;
import outbox.registry.ListenerRegistry;

/** Finds the methods with {@link OutboxListener} when all beans are there, and gives them to their outboxes. */
public final class AnnotatedListeners implements SmartInitializingSingleton {

    private static final Logger LOG = SafeLog.of(AnnotatedListeners.class);

    /** The outbox of those that name none. */
    private static final String ONLY = "outbox";

    private final ConfigurableListableBeanFactory beans;
    private final PayloadFormat format;
    private final Function<Class<?>, String> eventTypeOf;
    private final Outboxes outboxes;
    private final Map<String, ListenerTable> tables = new ConcurrentHashMap<>();

    /** What is to be known of outboxes, by name. */
    public interface Outboxes {

        /** What holds for listeners that do not say otherwise; throws if there is no such outbox. */
        ListenerDefaults defaults(String outbox);

        /** Whether it delivers, so that it is worth a word if nobody listens. */
        boolean delivers(String outbox);

        /** Where groups keep their records; throws if there is no such table. */
        GroupRecords groupRecords(String outbox);
    }

    /**
     * Finds nothing yet.
     *
     * @param eventTypeOf the type of events whose payload is of a class
     */
    public AnnotatedListeners(
            ConfigurableListableBeanFactory beans,
            PayloadFormat format,
            Function<Class<?>, String> eventTypeOf,
            Outboxes outboxes) {
        this.beans = beans;
        this.format = format;
        this.eventTypeOf = eventTypeOf;
        this.outboxes = outboxes;
    }

    /** The listeners of an outbox, which may be asked for before they are known. */
    public ListenerRegistry of(String outbox) {
        return table(outbox);
    }

    private ListenerTable table(String outbox) {
        return tables.computeIfAbsent(outbox, name -> new ListenerTable());
    }

    @Override
    public void afterSingletonsInstantiated() {
        Map<String, List<ListenerMethod>> found = new LinkedHashMap<>();
        Map<String, ListenerMethod> ids = new LinkedHashMap<>();
        for (ListenerMethod method : find()) {
            ListenerMethod other = ids.putIfAbsent(method.id(), method);
            if (other != null) {
                throw method.said()
                        .invalid(
                                "there is another listener called " + method.id(),
                                "give one of them a name of its own, @OutboxListener(id = …)");
            }
            String named = method.said().outbox();
            found.computeIfAbsent(named == null ? ONLY : named, name -> new ArrayList<>())
                    .add(method);
        }
        found.forEach(this::fill);
        tables.forEach(this::tellIfNobodyListens);
    }

    private void fill(String outbox, List<ListenerMethod> methods) {
        Map<Route, List<ListenerMethod>> routes = new LinkedHashMap<>();
        for (ListenerMethod method : methods) {
            for (Route route : method.routes(eventTypeOf)) {
                routes.computeIfAbsent(route, taken -> new ArrayList<>()).add(method);
            }
        }
        GroupRules.check(routes);
        ListenerDefaults defaults = outboxes.defaults(outbox);
        Map<ListenerMethod, EventListener> made = new LinkedHashMap<>();
        Map<Route, EventListener> listeners = new LinkedHashMap<>();
        boolean alone = routes.size() == 1;
        routes.forEach((route, takers) -> {
            ListenerMethod first = takers.get(0);
            listeners.put(
                    route,
                    first.said().group() == null
                            ? made.computeIfAbsent(first, method -> method.listener(defaults, alone))
                            : new Groups(outboxes.groupRecords(outbox), takers, defaults)
                                    .listener(route.name(), defaults, alone));
        });
        table(outbox).fill(listeners);
    }

    private void tellIfNobodyListens(String outbox, ListenerTable table) {
        if (table.size() == 0 && outboxes.delivers(outbox)) {
            LOG.log(
                    Level.WARNING,
                    "outbox \"" + outbox
                            + "\" has no listener in this process: its events wait in the table; annotate a"
                            + " method with @OutboxListener, or set relay.enabled to false if others deliver");
        }
    }

    private List<ListenerMethod> find() {
        List<ListenerMethod> found = new ArrayList<>();
        for (String beanName : beans.getBeanNamesForType(Object.class)) {
            Class<?> type = ScopedProxyUtils.isScopedTarget(beanName)
                    ? null
                    : AutoProxyUtils.determineTargetClass(beans, beanName);
            if (type != null && AnnotationUtils.isCandidateClass(type, OutboxListener.class)) {
                methods(type).forEach((method, annotation) -> found.add(listener(beanName, type, method, annotation)));
            }
        }
        return found;
    }

    private static Map<Method, OutboxListener> methods(Class<?> type) {
        return MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<@Nullable OutboxListener>)
                method -> AnnotatedElementUtils.findMergedAnnotation(method, OutboxListener.class));
    }

    private ListenerMethod listener(String beanName, Class<?> type, Method method, OutboxListener annotation) {
        String name = type.getSimpleName() + "." + method.getName();
        Said said = new Said(annotation, name, this::resolve);
        String id = said.id();
        Class<?> beanClass = Objects.requireNonNullElse(beans.getType(beanName), type);
        return new ListenerMethod(
                id == null ? name : id,
                said,
                new MethodShape(said, method, type, format),
                new BeanMethod(said, () -> beans.getBean(beanName), beanClass, method));
    }

    private String resolve(String text) {
        String resolved = beans.resolveEmbeddedValue(text);
        if (resolved == null) {
            throw new InvalidOutboxException("@OutboxListener: \"" + text + "\" stands for nothing", "correct it");
        }
        return resolved;
    }
}
