/** The benchmark of the outbox: what runs when, and its command line. */
@NullMarked
package outbox.benchmarks;

import org.jspecify.annotations.NullMarked;
