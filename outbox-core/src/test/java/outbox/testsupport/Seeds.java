package outbox.testsupport;

import java.util.Random;

/** Checks a property with one seed after another; {@code -Doutbox.test.seed} repeats a single one. */
public final class Seeds {

    private Seeds() {}

    /** What must hold for every seed. */
    @FunctionalInterface
    public interface Property {
        void holds(Random random) throws Exception;
    }

    /** Checks the property that many times; a failure names its seed. */
    public static void check(int times, Property property) {
        Long only = Long.getLong("outbox.test.seed");
        long first = only == null ? System.nanoTime() : only;
        int seeds = only == null ? times : 1;
        for (long seed = first; seed != first + seeds; seed++) {
            try {
                property.holds(new Random(seed));
            } catch (Throwable e) {
                throw new AssertionError("Failed; run it alone with -Doutbox.test.seed=" + seed, e);
            }
        }
    }
}
