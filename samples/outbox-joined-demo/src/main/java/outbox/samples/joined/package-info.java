/** Events in the transactions of jOOQ, MyBatis and Hibernate. */
@NullMarked
package outbox.samples.joined;

import org.jspecify.annotations.NullMarked;
