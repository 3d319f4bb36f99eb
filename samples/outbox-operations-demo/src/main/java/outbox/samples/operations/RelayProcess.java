package outbox.samples.operations;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.config.OutboxSwitches;
import outbox.inbox.ConsumeResult;
import outbox.jdbc.JdbcOutbox;
import outbox.micrometer.MicrometerConsumeMetrics;
import outbox.micrometer.MicrometerMetricsExporter;

/**
 * A process that delivers, sized by its environment. It tells on its standard output what it does, ends when its standard input does, and then
 * prints its numbers.
 */
final class RelayProcess {

    static final String READY = "ready";
    static final String DELIVERED = "delivered ";
    static final String NUMBER = "number ";

    private final Billing billing;
    private final String fatefulOrder;

    private RelayProcess(Billing billing, String fatefulOrder) {
        this.billing = billing;
        this.fatefulOrder = fatefulOrder;
    }

    /** Runs until the input ends. The only argument is the order whose first delivery never returns, so that it can be killed there. */
    public static void main(String[] args) throws Exception {
        Numbers numbers = new Numbers();
        MeterRegistry registry = numbers.registry();
        DataSource dataSource = SharedDatabase.ofParent();
        RelayProcess relay = new RelayProcess(new Billing(dataSource, new MicrometerConsumeMetrics(registry)), args[0]);
        try (Outbox outbox = JdbcOutbox.builder(dataSource)
                .switches(OutboxSwitches.fromEnvironment())
                .listener(Shop.ORDER_PLACED, relay::deliver)
                .metrics(new MicrometerMetricsExporter(registry, "relay.outbox", "outbox_event"))
                .build()) {
            outbox.start();
            System.out.println(READY);
            while (System.in.read() >= 0) {
                // Nothing is said but the end.
            }
        }
        numbers.lines().forEach(line -> System.out.println(NUMBER + line));
        System.exit(0);
    }

    private void deliver(EventEnvelope event) throws InterruptedException {
        ConsumeResult result = billing.bill(event);
        System.out.println(DELIVERED + event.aggregateId() + " " + result.outcome());
        if (result.handled() && fatefulOrder.equals(event.aggregateId())) {
            new CountDownLatch(1).await();
        }
    }
}
