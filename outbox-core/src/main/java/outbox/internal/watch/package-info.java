/** What is known of a table from time to time: for health, and for writers that may have to wait. */
@NullMarked
package outbox.internal.watch;

import org.jspecify.annotations.NullMarked;
