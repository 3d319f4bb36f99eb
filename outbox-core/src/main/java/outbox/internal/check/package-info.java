/** Checks of settings. Depends on nothing, so that everything may use it. */
@NullMarked
package outbox.internal.check;

import org.jspecify.annotations.NullMarked;
