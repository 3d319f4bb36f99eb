package outbox.benchmarks.floor;

import java.util.List;

/** What is done with a batch between its claim and its mark. */
@FunctionalInterface
interface FloorListener extends AutoCloseable {

    /** Returns when all of them are handled. Called by several threads. */
    void handle(List<FloorSql.Claimed> batch) throws InterruptedException;

    @Override
    default void close() {}
}
