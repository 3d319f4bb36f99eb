/** Hot and cold queues, the workers that run listeners, and what becomes of an event when its listener fails. */
@NullMarked
package outbox.dispatch;

import org.jspecify.annotations.NullMarked;
