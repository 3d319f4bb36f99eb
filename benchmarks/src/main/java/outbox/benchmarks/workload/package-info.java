/** What the candidates are made to do. */
@NullMarked
package outbox.benchmarks.workload;

import org.jspecify.annotations.NullMarked;
