/** Rounds of load and faults, each of which ends with a verdict. */
@NullMarked
package outbox.proof.run;

import org.jspecify.annotations.NullMarked;
