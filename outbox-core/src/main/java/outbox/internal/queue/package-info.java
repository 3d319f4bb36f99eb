/** Queues of things that wait in memory, bounded in number and in bytes. They know nothing of events. */
@NullMarked
package outbox.internal.queue;

import org.jspecify.annotations.NullMarked;
