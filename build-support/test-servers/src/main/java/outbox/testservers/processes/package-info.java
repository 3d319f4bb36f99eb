/** Programs that are run, watched and ended. */
@NullMarked
package outbox.testservers.processes;

import org.jspecify.annotations.NullMarked;
