/** What every store must do, as JUnit tests that a store's own test class inherits. */
@NullMarked
package outbox.testing.contract;

import org.jspecify.annotations.NullMarked;
