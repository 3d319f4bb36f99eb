/** What all processes under proof have in common: orders, a pool of connections, trouble, and scripts that tell what an event does. */
@NullMarked
package outbox.proof.process;

import org.jspecify.annotations.NullMarked;
