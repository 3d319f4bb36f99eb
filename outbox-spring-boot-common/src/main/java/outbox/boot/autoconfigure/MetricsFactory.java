package outbox.boot.autoconfigure;

import outbox.spi.MetricsExporter;

/** Makes what receives the numbers of an outbox. */
@FunctionalInterface
interface MetricsFactory {

    /**
     * Makes one for an outbox.
     *
     * @param name the name of the outbox
     * @param table its table
     */
    MetricsExporter exporterOf(String name, String table);
}
