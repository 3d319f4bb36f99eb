/** How somebody is told of events that have ended DEAD. */
@NullMarked
package outbox.internal.dead;

import org.jspecify.annotations.NullMarked;
