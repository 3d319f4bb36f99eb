package outbox.jdbc.purge;

import org.jspecify.annotations.Nullable;

/**
 * A partition as the database describes it.
 *
 * @param name as it stands in SQL
 * @param range null for one that is no range of times, such as the default partition
 */
record Partition(String name, @Nullable TimeRange range, boolean isDefault) {}
