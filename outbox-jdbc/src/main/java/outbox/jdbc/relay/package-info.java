/** One active process of several: locks in the database that end with their holder. */
@NullMarked
package outbox.jdbc.relay;

import org.jspecify.annotations.NullMarked;
