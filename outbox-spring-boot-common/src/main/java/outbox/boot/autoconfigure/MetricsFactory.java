package outbox.boot.autoconfigure;

import outbox.spi.MetricsExporter;

/** Makes what receives the numbers of an outbox. */
@FunctionalInterface
interface MetricsFactory {

    MetricsExporter exporterOf(String table);
}
