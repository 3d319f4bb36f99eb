/** Query, count and replay of events that ended DEAD. */
@NullMarked
package outbox.dead;

import org.jspecify.annotations.NullMarked;
