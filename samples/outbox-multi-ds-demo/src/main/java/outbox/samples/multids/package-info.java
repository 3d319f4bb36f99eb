/** One application with two databases, each with an outbox of its own. */
@NullMarked
package outbox.samples.multids;

import org.jspecify.annotations.NullMarked;
