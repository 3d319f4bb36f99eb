/** What stores and purgers share; not for others. */
@NullMarked
package outbox.jdbc.internal;

import org.jspecify.annotations.NullMarked;
