package outbox.internal.task;

import org.jspecify.annotations.Nullable;

/** Names threads after their duty and, if it is known, the table that they work for. */
public final class ThreadNames {

    private ThreadNames() {}

    /** What the names of threads begin with; a number follows. */
    public static String prefix(String duty, @Nullable String table) {
        return "outbox-" + duty + "-" + (table == null ? "" : table + "-");
    }
}
