/** Events that Spring Modulith externalizes, through the outbox. */
@NullMarked
package outbox.modulith;

import org.jspecify.annotations.NullMarked;
