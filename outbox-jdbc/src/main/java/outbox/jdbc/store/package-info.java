/** The outbox table in each database's dialect. */
@NullMarked
package outbox.jdbc.store;

import org.jspecify.annotations.NullMarked;
