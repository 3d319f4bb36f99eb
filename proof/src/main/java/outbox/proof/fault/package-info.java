/** What is done to nodes, to their network and to their database, and when. */
@NullMarked
package outbox.proof.fault;

import org.jspecify.annotations.NullMarked;
