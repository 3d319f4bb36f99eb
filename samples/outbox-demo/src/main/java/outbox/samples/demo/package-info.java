/** A small shop that shows what an outbox promises, and counts whether it was kept. */
@NullMarked
package outbox.samples.demo;

import org.jspecify.annotations.NullMarked;
