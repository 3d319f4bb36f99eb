package outbox.benchmarks.report;

import java.time.Duration;
import java.util.Locale;

/**
 * The circumstances of a run, without which its figures mean little.
 *
 * @param form short or full
 * @param processors of the machine
 * @param loadBefore the machine's load average when the run began; negative if unknown
 * @param loadAfter the same when it ended
 * @param took how long it took
 */
public record RunInfo(String form, int processors, double loadBefore, double loadAfter, Duration took) {

    /** In one line. */
    public String describe() {
        return String.format(
                Locale.ROOT,
                "Form: %s. Java %s, %d processors, load average %.2f before and %.2f after, %d s. Medians over the runs;"
                        + " compare ratios, not figures of different runs.",
                form,
                Runtime.version().feature(),
                processors,
                loadBefore,
                loadAfter,
                took.toSeconds());
    }
}
