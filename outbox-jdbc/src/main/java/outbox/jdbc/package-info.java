/** What the JDBC parts share: table names, schema scripts, a thin layer over JDBC. */
@NullMarked
package outbox.jdbc;

import org.jspecify.annotations.NullMarked;
