/** Transactions by hand, for applications without a framework. */
@NullMarked
package outbox.jdbc.tx;

import org.jspecify.annotations.NullMarked;
