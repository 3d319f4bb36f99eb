/** What an application with Spring Boot uses: listeners, the publisher, annotations. */
@NullMarked
package outbox.boot;

import org.jspecify.annotations.NullMarked;
