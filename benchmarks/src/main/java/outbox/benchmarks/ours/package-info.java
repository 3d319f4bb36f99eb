/** This project's outbox as a candidate. */
@NullMarked
package outbox.benchmarks.ours;

import org.jspecify.annotations.NullMarked;
