/** What both Jacksons have in common; for this jar only. */
@NullMarked
package outbox.jackson.internal;

import org.jspecify.annotations.NullMarked;
