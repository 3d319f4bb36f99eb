/** Domain events: aggregates raise them, the outbox records them, listeners get them typed. */
@NullMarked
package outbox.domain;

import org.jspecify.annotations.NullMarked;
