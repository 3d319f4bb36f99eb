/** Real PostgreSQL, MySQL and MariaDB servers that the build's own tests start by themselves and share. */
@NullMarked
package outbox.testservers;

import org.jspecify.annotations.NullMarked;
