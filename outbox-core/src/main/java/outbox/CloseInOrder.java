package outbox;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Closes parts one after another, even if one of them fails. */
final class CloseInOrder {

    private CloseInOrder() {}

    /** @throws RuntimeException the first failure, with later ones as suppressed */
    static void close(List<? extends AutoCloseable> parts) {
        RuntimeException failure = null;
        for (AutoCloseable part : parts) {
            failure = closeOne(part, failure);
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static @Nullable RuntimeException closeOne(AutoCloseable part, @Nullable RuntimeException earlier) {
        try {
            part.close();
            return earlier;
        } catch (Exception e) {
            RuntimeException failure =
                    e instanceof RuntimeException known ? known : new OutboxException("Cannot close " + part, e);
            if (earlier == null) {
                return failure;
            }
            earlier.addSuppressed(failure);
            return earlier;
        }
    }
}
