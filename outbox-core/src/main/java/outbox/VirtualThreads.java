package outbox;

import java.lang.reflect.InvocationTargetException;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;

/** Virtual threads, where the JDK has them: 21 and newer. */
public final class VirtualThreads {

    private VirtualThreads() {}

    /** Whether this JDK has virtual threads. */
    public static boolean areThere() {
        return Runtime.version().feature() >= 21;
    }

    /**
     * Makes virtual threads named prefix0, prefix1 and so on.
     *
     * @throws UnsupportedOperationException if this JDK has none
     */
    public static ThreadFactory named(String prefix) {
        Objects.requireNonNull(prefix, "prefix");
        if (!areThere()) {
            throw new UnsupportedOperationException("virtual threads need Java 21 or newer, this is Java "
                    + Runtime.version().feature() + "; leave threads(...) out or give another factory");
        }
        try {
            Class<?> builders = Class.forName("java.lang.Thread$Builder");
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Object named = builders.getMethod("name", String.class, long.class).invoke(builder, prefix, 0L);
            return (ThreadFactory) builders.getMethod("factory").invoke(named);
        } catch (ReflectiveOperationException e) {
            Throwable cause = e instanceof InvocationTargetException thrown ? thrown.getCause() : e;
            throw new IllegalStateException("Cannot make virtual threads", cause);
        }
    }
}
