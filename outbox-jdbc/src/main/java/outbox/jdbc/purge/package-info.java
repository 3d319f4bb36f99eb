/** Deletion of finished events in each database's dialect. */
@NullMarked
package outbox.jdbc.purge;

import org.jspecify.annotations.NullMarked;
