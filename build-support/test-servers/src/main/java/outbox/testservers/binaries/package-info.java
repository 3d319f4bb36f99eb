/** Where the programs of the servers come from: artifacts of the build, the machine, or its distribution. */
@NullMarked
package outbox.testservers.binaries;

import org.jspecify.annotations.NullMarked;
