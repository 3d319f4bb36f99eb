/** Servers that can be hurt. */
@NullMarked
package outbox.proof.database;

import org.jspecify.annotations.NullMarked;
