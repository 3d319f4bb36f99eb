/** The cold path: finds pending events in the table and hands them over. */
@NullMarked
package outbox.poller;

import org.jspecify.annotations.NullMarked;
