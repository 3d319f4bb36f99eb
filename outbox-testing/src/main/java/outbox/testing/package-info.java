/** An outbox in memory and a clock set by hand, for unit tests without a database. */
@NullMarked
package outbox.testing;

import org.jspecify.annotations.NullMarked;
