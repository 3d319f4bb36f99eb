/** An event as it is stored, and the states of its life. */
@NullMarked
package outbox.model;

import org.jspecify.annotations.NullMarked;
