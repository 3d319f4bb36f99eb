/** The ordering domain on plain JDBC. */
@NullMarked
package outbox.samples.ordering.jdbc;

import org.jspecify.annotations.NullMarked;
