/** What is paused, in this process and in all, and how that is known in time. */
@NullMarked
package outbox.internal.pause;

import org.jspecify.annotations.NullMarked;
