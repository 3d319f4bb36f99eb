package outbox.boot.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.context.SmartLifecycle;
import outbox.Outbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.micrometer.BacklogGauges;

/** Gauges of what lies in the tables, counted while the context runs. */
final class OutboxGauges implements SmartLifecycle {

    private final MeterRegistry registry;
    private final OutboxAssembler assembler;
    private final Map<String, Outbox> outboxes;
    private final List<BacklogGauges> gauges = new ArrayList<>();

    OutboxGauges(MeterRegistry registry, OutboxAssembler assembler, Map<String, Outbox> outboxes) {
        this.registry = registry;
        this.assembler = assembler;
        this.outboxes = outboxes;
    }

    @Override
    public synchronized void start() {
        outboxes.forEach((beanName, outbox) -> {
            BacklogGauges counted = BacklogGauges.builder()
                    .registry(registry)
                    .connectionProvider(new DataSourceConnectionProvider(assembler.dataSourceOfBean(beanName)))
                    .outboxStore(outbox.store())
                    .build();
            counted.start();
            gauges.add(counted);
        });
    }

    @Override
    public synchronized void stop() {
        gauges.forEach(BacklogGauges::close);
        gauges.clear();
    }

    @Override
    public synchronized boolean isRunning() {
        return !gauges.isEmpty();
    }

    /** After the outboxes have started, before they stop. */
    @Override
    public int getPhase() {
        return OutboxLifecycle.PHASE + 1;
    }
}
