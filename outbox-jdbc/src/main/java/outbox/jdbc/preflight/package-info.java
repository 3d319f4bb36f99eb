/** What is tried before an outbox on a table starts; one small class for each thing that may be in its way. */
@NullMarked
package outbox.jdbc.preflight;

import org.jspecify.annotations.NullMarked;
