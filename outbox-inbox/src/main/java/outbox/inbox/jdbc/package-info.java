/** Consume records in H2, PostgreSQL, MySQL and MariaDB. */
@NullMarked
package outbox.inbox.jdbc;

import org.jspecify.annotations.NullMarked;
