/** Joins the transactions that Spring manages. */
@NullMarked
package outbox.spring;

import org.jspecify.annotations.NullMarked;
