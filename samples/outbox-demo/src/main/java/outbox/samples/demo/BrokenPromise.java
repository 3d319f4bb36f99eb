package outbox.samples.demo;

import java.util.Locale;

/** Something that the demo promises did not happen. */
final class BrokenPromise extends RuntimeException {

    private static final long serialVersionUID = 1L;

    BrokenPromise(String message) {
        super(message);
    }

    /** Holds the demo to its word: what was counted must be what was promised. */
    static void unlessEqual(long promised, long counted, String what) {
        if (promised != counted) {
            throw new BrokenPromise(String.format(Locale.ROOT, "%s: promised %d, counted %d", what, promised, counted));
        }
    }
}
