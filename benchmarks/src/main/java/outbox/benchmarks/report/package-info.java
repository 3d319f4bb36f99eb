/** What came out: medians, ratios, bars, and the forms in which they are shown. */
@NullMarked
package outbox.benchmarks.report;

import org.jspecify.annotations.NullMarked;
