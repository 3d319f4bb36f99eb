/** For tests of applications that use a starter. */
@NullMarked
package outbox.boot.test;

import org.jspecify.annotations.NullMarked;
