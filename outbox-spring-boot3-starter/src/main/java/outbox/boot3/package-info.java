/** What only Spring Boot 3.5 has under these names. */
@NullMarked
package outbox.boot3;

import org.jspecify.annotations.NullMarked;
