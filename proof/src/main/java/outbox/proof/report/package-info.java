/** Results for people and for programs. */
@NullMarked
package outbox.proof.report;

import org.jspecify.annotations.NullMarked;
