/** The command that prints the DDL of an outbox table. */
@NullMarked
package outbox.schemacommand;

import org.jspecify.annotations.NullMarked;
