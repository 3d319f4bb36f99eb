/** Shared by the jars of this project only; may change at any time. */
@NullMarked
package outbox.internal;

import org.jspecify.annotations.NullMarked;
