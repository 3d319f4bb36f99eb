/** Faults on purpose, and what the outbox makes of them. */
@NullMarked
package outbox.proof;

import org.jspecify.annotations.NullMarked;
