/** How a process shows that it is there, and whom it finds beside itself. */
@NullMarked
package outbox.internal.node;

import org.jspecify.annotations.NullMarked;
