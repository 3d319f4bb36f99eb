package outbox.boot.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.DisposableBean;
import outbox.micrometer.MicrometerMetricsExporter;
import outbox.spi.MetricsExporter;

/** Meters of all outboxes in the application's registry, for as long as the context lives. */
final class OutboxMeters implements MetricsFactory, DisposableBean {

    private final MeterRegistry registry;
    private final List<MicrometerMetricsExporter> made = new ArrayList<>();

    OutboxMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public synchronized MetricsExporter exporterOf(String name, String table) {
        String prefix = MicrometerMetricsExporter.DEFAULT_PREFIX;
        var exporter = new MicrometerMetricsExporter(
                registry, name.equals(OutboxAssembler.ONLY) ? prefix : name + "." + prefix, table);
        made.add(exporter);
        return exporter;
    }

    @Override
    public synchronized void destroy() {
        made.forEach(MicrometerMetricsExporter::close);
        made.clear();
    }
}
