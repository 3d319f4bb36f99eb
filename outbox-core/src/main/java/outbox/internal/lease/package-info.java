/** What a process has leased in a table that it shares with others: the book in memory, and who keeps it in step with the table. */
@NullMarked
package outbox.internal.lease;

import org.jspecify.annotations.NullMarked;
