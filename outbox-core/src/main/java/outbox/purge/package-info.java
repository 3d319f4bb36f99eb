/** Removes finished events once their retention has passed. */
@NullMarked
package outbox.purge;

import org.jspecify.annotations.NullMarked;
