package outbox.spring;

import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs every callback whatever the others do; the first failure is thrown at the end, with the later ones suppressed. */
final class RunAll {

    private @Nullable Throwable first;

    private RunAll() {}

    static void of(List<Runnable> callbacks) {
        RunAll run = new RunAll();
        callbacks.forEach(run::attempt);
        run.throwFirst();
    }

    private void attempt(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable e) {
            remember(e);
        }
    }

    private void remember(Throwable failure) {
        if (first == null) {
            first = failure;
        } else if (first != failure) {
            first.addSuppressed(failure);
        }
    }

    private void throwFirst() {
        if (first == null) {
            return;
        }
        if (first instanceof RuntimeException e) {
            throw e;
        }
        if (first instanceof Error e) {
            throw e;
        }
        throw new UndeclaredThrowableException(first, "A transaction callback threw a checked exception");
    }
}
