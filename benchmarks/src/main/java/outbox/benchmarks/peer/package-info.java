/** Other projects that solve the same problem, used through their documented interfaces only. */
@NullMarked
package outbox.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
