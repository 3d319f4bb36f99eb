/** JMH benchmarks of the parts that run for each event. */
@NullMarked
package outbox.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
