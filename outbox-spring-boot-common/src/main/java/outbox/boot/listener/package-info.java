/** Finds methods with {@code @OutboxListener}, reads their parameters and calls them. Not for applications. */
@NullMarked
package outbox.boot.listener;

import org.jspecify.annotations.NullMarked;
