package outbox.proof.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import outbox.proof.history.Verdict;

/**
 * What nodes held in the course of a long time, and whether they delivered as promised.
 *
 * @param samples by node, in the order of time
 */
public record SoakResult(Map<String, List<Sample>> samples, long committed, Verdict verdict) {

    /** Memory is not exactly the same at each moment. */
    private static final double MORE_MEMORY = 1.25;

    private static final long MORE_KILOBYTES = 4 * 1024;

    /**
     * What has grown, in words. Compares the medians of the second quarter of the time, when everything is warm, and of the last: what is
     * there for a moment only, such as the threads with which a pool renews its connections, has not grown.
     */
    public List<String> growth() {
        List<String> grown = new ArrayList<>();
        samples.forEach((node, all) -> {
            long before = median(quarter(all, 1), Sample::kilobytes);
            long after = median(quarter(all, 3), Sample::kilobytes);
            if (after > before * MORE_MEMORY + MORE_KILOBYTES) {
                grown.add(node + ": memory grew from " + before + " to " + after + " kB");
            }
            compare(grown, node, "threads", all, Sample::threads);
            compare(grown, node, "connections", all, Sample::connections);
        });
        return grown;
    }

    private static void compare(
            List<String> grown, String node, String what, List<Sample> all, ToLongFunction<Sample> value) {
        long before = median(quarter(all, 1), value);
        long after = median(quarter(all, 3), value);
        if (after > before + 1) {
            grown.add(node + ": " + what + " grew from " + before + " to " + after);
        }
    }

    private static List<Sample> quarter(List<Sample> all, int number) {
        return all.subList(all.size() * number / 4, Math.max(all.size() * (number + 1) / 4, all.size() * number / 4));
    }

    private static long median(List<Sample> samples, ToLongFunction<Sample> value) {
        long[] sorted = samples.stream().mapToLong(value).sorted().toArray();
        return sorted.length == 0
                ? 0
                : Arrays.stream(sorted).skip(sorted.length / 2).findFirst().orElse(0);
    }

    /** Whether nothing grew and all promises were kept. */
    public boolean isGood() {
        return growth().isEmpty() && verdict.isGood();
    }
}
