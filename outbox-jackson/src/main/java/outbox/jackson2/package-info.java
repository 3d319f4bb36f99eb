/** Domain events and headers as JSON, with Jackson 2. */
@NullMarked
package outbox.jackson2;

import org.jspecify.annotations.NullMarked;
