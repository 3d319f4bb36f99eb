/** A network between a process and its database that can be spoiled. */
@NullMarked
package outbox.proof.proxy;

import org.jspecify.annotations.NullMarked;
