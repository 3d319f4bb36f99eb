/** A process behind the dispatcher, with a database of its own, in which each event has its effect once. */
@NullMarked
package outbox.proof.consumer;

import org.jspecify.annotations.NullMarked;
