/** What a database knows of a table, as text: two tables that are alike have the same. */
@NullMarked
package outbox.testservers.catalog;

import org.jspecify.annotations.NullMarked;
