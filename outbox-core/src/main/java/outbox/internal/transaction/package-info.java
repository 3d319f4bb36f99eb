/** Short transactions of this library's own, and what a failure of the database means. */
@NullMarked
package outbox.internal.transaction;

import org.jspecify.annotations.NullMarked;
