/** What is told: how far a run has come on the way, and what came out: medians, ratios, bars, and the forms in which they are shown. */
@NullMarked
package outbox.benchmarks.report;

import org.jspecify.annotations.NullMarked;
