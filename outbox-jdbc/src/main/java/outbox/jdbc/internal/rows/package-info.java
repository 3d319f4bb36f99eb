/** Reads rows as their dialect binds them; not for others. */
@NullMarked
package outbox.jdbc.internal.rows;

import org.jspecify.annotations.NullMarked;
