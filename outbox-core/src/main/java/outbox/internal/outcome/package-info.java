/** What becomes of deliveries, how that is decided, and how it gets into the table. Shared by the dispatcher and relays. */
@NullMarked
package outbox.internal.outcome;

import org.jspecify.annotations.NullMarked;
