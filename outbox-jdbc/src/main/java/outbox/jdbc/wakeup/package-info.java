/** News from other processes that there is something to poll. */
@NullMarked
package outbox.jdbc.wakeup;

import org.jspecify.annotations.NullMarked;
