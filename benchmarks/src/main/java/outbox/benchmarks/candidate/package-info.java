/** What is compared: the parts that every candidate plays. */
@NullMarked
package outbox.benchmarks.candidate;

import org.jspecify.annotations.NullMarked;
