/** Ports that integrators implement: transactions, connections, storage, purging and metrics. */
@NullMarked
package outbox.spi;

import org.jspecify.annotations.NullMarked;
