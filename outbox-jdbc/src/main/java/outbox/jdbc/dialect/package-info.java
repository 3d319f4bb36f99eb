/** What databases do differently: one {@link outbox.jdbc.dialect.Dialect} for each, made of small parts. */
@NullMarked
package outbox.jdbc.dialect;

import org.jspecify.annotations.NullMarked;
