package outbox.testsupport;

import java.util.Random;

/** Runs a property with one seed after another; {@code -Doutbox.test.seed} runs a single one again. */
public final class Seeds {

    private Seeds() {}

    /** What must hold whatever the dice say. */
    @FunctionalInterface
    public interface Property {
        void holds(Random random) throws Exception;
    }

    /** Tries the property so many times; one that does not hold names its seed. */
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
