package outbox.proof.fault;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A fault that was done.
 *
 * @param undo ends it
 * @param rows the keys of those that it was done to, if to some
 */
record Damage(Undo undo, @Nullable Set<String> rows) {

    /** Sets right, or does, what may fail. */
    interface Undo {
        void run() throws Exception;
    }

    static Damage until(Undo undo) {
        return new Damage(undo, null);
    }

    /** For what ends by itself. */
    static Damage done(Undo now) throws Exception {
        now.run();
        return until(() -> {});
    }
}
