/** The JSON codec for headers and the thread factory. */
@NullMarked
package outbox.util;

import org.jspecify.annotations.NullMarked;
