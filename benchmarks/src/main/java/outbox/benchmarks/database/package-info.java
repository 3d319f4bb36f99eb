/** The databases that are measured on, and what they cost. */
@NullMarked
package outbox.benchmarks.database;

import org.jspecify.annotations.NullMarked;
