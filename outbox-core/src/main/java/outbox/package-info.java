/** What business code calls: write an event in its own transaction, listen to it after the commit. */
@NullMarked
package outbox;

import org.jspecify.annotations.NullMarked;
