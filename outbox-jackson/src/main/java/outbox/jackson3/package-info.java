/** Domain events and headers as JSON, with Jackson 3. */
@NullMarked
package outbox.jackson3;

import org.jspecify.annotations.NullMarked;
