/** Settings that the operator of a process gives from outside. */
@NullMarked
package outbox.config;

import org.jspecify.annotations.NullMarked;
