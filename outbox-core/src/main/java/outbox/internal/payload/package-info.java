/** Payloads that do not lie in their column as they were written: bytes, and what a transformer makes. */
@NullMarked
package outbox.internal.payload;

import org.jspecify.annotations.NullMarked;
