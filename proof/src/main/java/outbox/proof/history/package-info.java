/**
 * What was promised, what happened, and whether the one agrees with the other. Knows nothing of the outbox's own code: it judges by the
 * business' table, the journals of the listeners, and the rows as they lie in the outbox's tables.
 */
@NullMarked
package outbox.proof.history;

import org.jspecify.annotations.NullMarked;
