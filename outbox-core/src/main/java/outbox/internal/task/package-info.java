/** Loops and periodic work on threads that outlast what fails in them. */
@NullMarked
package outbox.internal.task;

import org.jspecify.annotations.NullMarked;
