/** Several subscribers for one event, in one process. */
@NullMarked
package outbox.bus;

import org.jspecify.annotations.NullMarked;
