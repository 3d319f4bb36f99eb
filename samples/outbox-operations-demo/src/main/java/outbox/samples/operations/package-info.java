/** An outbox in operation: several processes, and what an operator sees of them. */
@NullMarked
package outbox.samples.operations;

import org.jspecify.annotations.NullMarked;
