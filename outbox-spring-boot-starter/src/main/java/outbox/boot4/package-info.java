/** What only Spring Boot 4 has under these names. */
@NullMarked
package outbox.boot4;

import org.jspecify.annotations.NullMarked;
