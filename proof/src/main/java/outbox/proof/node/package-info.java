/** A process under proof: writes business and events, delivers, and is told to misbehave. */
@NullMarked
package outbox.proof.node;

import org.jspecify.annotations.NullMarked;
