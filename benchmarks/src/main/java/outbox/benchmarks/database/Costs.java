package outbox.benchmarks.database;

import java.util.OptionalLong;

/**
 * What a database was asked to do.
 *
 * @param statements SQL statements, without the beginning and the end of transactions
 * @param commits transactions that were committed
 * @param walBytes write-ahead log written, where it can be told
 */
public record Costs(long statements, long commits, OptionalLong walBytes) {}
