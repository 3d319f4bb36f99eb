/** The process that keeps the shared servers of a test run, and ends them with it. */
@NullMarked
package outbox.testservers.keeper;

import org.jspecify.annotations.NullMarked;
