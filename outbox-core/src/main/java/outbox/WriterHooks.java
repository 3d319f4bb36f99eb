package outbox;

import java.sql.Connection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.spi.OutboxStore;

/**
 * The hooks that an application gave, around the one that delivers. Each sees what the one before it has made of the events; the last one
 * inserts. What happens afterwards is told to all, whatever one of them throws.
 */
final class WriterHooks implements WriterHook {

    private final List<WriterHook> given;
    private final WriterHook last;

    private WriterHooks(List<WriterHook> given, WriterHook last) {
        this.given = List.copyOf(given);
        this.last = last;
    }

    static WriterHook of(List<WriterHook> given, WriterHook last) {
        return given.isEmpty() ? last : new WriterHooks(given, last);
    }

    @Override
    public @Nullable List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        List<EventEnvelope> changed = events;
        for (WriterHook hook : given) {
            changed = hook.beforeWrite(changed);
            if (changed == null || changed.isEmpty()) {
                return changed;
            }
            changed = List.copyOf(changed);
        }
        return last.beforeWrite(changed);
    }

    @Override
    public void insert(OutboxStore store, Connection conn, List<EventEnvelope> events) {
        last.insert(store, conn, events);
    }

    @Override
    public List<WriteReceipt> insertOnce(
            OutboxStore store, Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        return last.insertOnce(store, conn, events, policy);
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
        tellAll(hook -> hook.afterWrite(events));
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        tellAll(hook -> hook.afterCommit(events));
    }

    @Override
    public void afterRollback(List<EventEnvelope> events) {
        tellAll(hook -> hook.afterRollback(events));
    }

    @Override
    public void afterUnknown(List<EventEnvelope> events) {
        tellAll(hook -> hook.afterUnknown(events));
    }

    /** The one that delivers first: what others do must not make its events late. */
    private void tellAll(Consumer<WriterHook> what) {
        Throwable first = tell(last, what, null);
        for (WriterHook hook : given) {
            first = tell(hook, what, first);
        }
        if (first instanceof Error error) {
            throw error;
        }
        if (first instanceof RuntimeException exception) {
            throw exception;
        }
    }

    private static @Nullable Throwable tell(WriterHook hook, Consumer<WriterHook> what, @Nullable Throwable earlier) {
        try {
            what.accept(hook);
            return earlier;
        } catch (RuntimeException | Error e) {
            if (earlier == null) {
                return e;
            }
            if (earlier != e) {
                earlier.addSuppressed(e);
            }
            return earlier;
        }
    }
}
