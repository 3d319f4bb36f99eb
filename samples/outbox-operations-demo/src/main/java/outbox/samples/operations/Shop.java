package outbox.samples.operations;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import outbox.Outbox;
import outbox.config.OutboxSwitches;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcTemplate;
import outbox.micrometer.BacklogGauges;
import outbox.micrometer.MicrometerMetricsExporter;

/** Takes orders. It only writes: its switches leave delivery to other processes. */
final class Shop implements AutoCloseable {

    static final String ORDER_PLACED = "OrderPlaced";

    static final Map<String, String> SWITCHES =
            new TreeMap<>(Map.of(OutboxSwitches.RELAY_ENABLED, "false", OutboxSwitches.CLEANER_ENABLED, "false"));

    private final MicrometerMetricsExporter metrics;
    private final Outbox outbox;
    private final BacklogGauges backlog;

    private Shop(SharedDatabase database, MeterRegistry registry) {
        this.metrics = new MicrometerMetricsExporter(registry, "shop.outbox", "outbox_event");
        this.outbox = JdbcOutbox.builder(database.dataSource())
                .switches(OutboxSwitches.from(SWITCHES))
                .metrics(metrics)
                .build();
        this.backlog = BacklogGauges.builder()
                .registry(registry)
                .connectionProvider(new DataSourceConnectionProvider(database.dataSource()))
                .outboxStore(outbox.store())
                .interval(Duration.ofMillis(100))
                .build();
    }

    static Shop open(SharedDatabase database, MeterRegistry registry) {
        Shop shop = new Shop(database, registry);
        shop.outbox.start();
        shop.backlog.start();
        return shop;
    }

    /** Saves an order and its event in one transaction. */
    void place(String orderId) throws Exception {
        outbox.inTransaction(tx -> {
            JdbcTemplate.update(tx.connection(), "INSERT INTO orders VALUES (?)", orderId);
            outbox.write(ORDER_PLACED, orderId, "{\"orderId\":\"" + orderId + "\"}");
        });
    }

    @Override
    public void close() {
        backlog.close();
        outbox.close();
        metrics.close();
    }
}
