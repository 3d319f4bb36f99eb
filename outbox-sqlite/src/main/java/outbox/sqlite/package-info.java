/** Outbox and inbox in SQLite, for applications that bring their database along. */
@NullMarked
package outbox.sqlite;

import org.jspecify.annotations.NullMarked;
