/** When a preflight runs, and what waits for it. */
@NullMarked
package outbox.internal.preflight;

import org.jspecify.annotations.NullMarked;
