/** Directories and locks between processes. */
@NullMarked
package outbox.testservers.files;

import org.jspecify.annotations.NullMarked;
