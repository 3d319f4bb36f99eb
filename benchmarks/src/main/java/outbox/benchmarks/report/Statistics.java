package outbox.benchmarks.report;

import java.util.Arrays;

/** Medians and percentiles. */
public final class Statistics {

    private Statistics() {}

    /** The middle value, or the mean of the two in the middle. */
    public static double median(double... values) {
        double[] sorted = sorted(values);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /**
     * The smallest value that is not exceeded by the given share of all (nearest rank).
     *
     * @param percent above 0, at most 100
     */
    public static double percentile(double percent, double... values) {
        if (percent <= 0 || percent > 100) {
            throw new IllegalArgumentException("percent must be above 0 and at most 100, was " + percent);
        }
        double[] sorted = sorted(values);
        return sorted[(int) Math.ceil(percent / 100 * sorted.length) - 1];
    }

    private static double[] sorted(double[] values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no values");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted;
    }
}
