/** Texts for logs and for the table: cleaned, cut, masked, and the log that never throws. */
@NullMarked
package outbox.internal.text;

import org.jspecify.annotations.NullMarked;
