/** Auto-configuration of outboxes by {@code outbox.*} properties. */
@NullMarked
package outbox.boot.autoconfigure;

import org.jspecify.annotations.NullMarked;
