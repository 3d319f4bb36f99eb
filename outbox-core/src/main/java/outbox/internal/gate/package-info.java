/** What limits how much one listener gets: slots, rate, breaker, pause. */
@NullMarked
package outbox.internal.gate;

import org.jspecify.annotations.NullMarked;
