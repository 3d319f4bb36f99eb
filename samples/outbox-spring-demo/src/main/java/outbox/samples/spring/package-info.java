/** Orders over REST: the order and its event are one Spring transaction. */
@NullMarked
package outbox.samples.spring;

import org.jspecify.annotations.NullMarked;
