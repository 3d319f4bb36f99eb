/** Exports the outbox's numbers to Micrometer. */
@NullMarked
package outbox.micrometer;

import org.jspecify.annotations.NullMarked;
