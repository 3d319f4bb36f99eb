/** Handles events that arrive more than once exactly once in effect: consume records, handler template, in-process bus, retries. */
@NullMarked
package outbox.inbox;

import org.jspecify.annotations.NullMarked;
