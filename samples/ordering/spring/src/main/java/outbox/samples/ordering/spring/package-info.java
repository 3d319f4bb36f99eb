/** The ordering domain on Spring Boot. */
@NullMarked
package outbox.samples.ordering.spring;

import org.jspecify.annotations.NullMarked;
