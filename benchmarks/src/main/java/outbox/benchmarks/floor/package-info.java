/** Bare JDBC, written as fast as we know how: what no framework can beat. */
@NullMarked
package outbox.benchmarks.floor;

import org.jspecify.annotations.NullMarked;
