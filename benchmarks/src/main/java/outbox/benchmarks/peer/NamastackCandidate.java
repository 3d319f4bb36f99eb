package outbox.benchmarks.peer;

import io.namastack.outbox.Outbox;
import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.database.Pool;
import outbox.benchmarks.database.Scratch;

/** Namastack Outbox: records are polled by key and handed to a handler bean. Tuned: polls all the time, deletes what is done. */
final class NamastackCandidate extends PeerCandidate {

    private static final String PREFIX = "namastack.outbox.";
    private static final String NEVER = "3600000";

    NamastackCandidate(boolean usesDefaults) {
        super("namastack", usesDefaults);
    }

    @Override
    public boolean deletes() {
        return !usesDefaults();
    }

    @Override
    public String pendingQuery() {
        return "SELECT count(*) FROM outbox_record WHERE status <> 'COMPLETED'";
    }

    /** The application creates what it needs when it starts. */
    @Override
    public void createTables(Scratch database) {}

    @Override
    public Participant open(Scratch database, Purpose purpose, Deliveries deliveries) {
        Pool pool = database.openPool();
        ConfigurableApplicationContext context = SpringHost.boot(
                Application.class,
                pool,
                properties(purpose),
                beans -> beans.registerBean(NamastackHandler.class, () -> new NamastackHandler(deliveries)));
        Outbox outbox = context.getBean(Outbox.class);
        return SpringHost.hosting(pool, context, event -> outbox.schedule(new PeerEvent(event.payload())), () -> {});
    }

    private Map<String, String> properties(Purpose purpose) {
        Map<String, String> properties = new HashMap<>();
        properties.put("spring.autoconfigure.exclude", ModulithCandidate.AUTO_CONFIGURATIONS);
        if (!usesDefaults()) {
            properties.put(PREFIX + "polling.batch-size", "1000");
            properties.put(PREFIX + "polling.fixed.interval", "10");
            properties.put(PREFIX + "processing.executor-core-pool-size", "8");
            properties.put(PREFIX + "processing.executor-max-pool-size", "8");
            properties.put(PREFIX + "processing.delete-completed-records", "true");
        }
        if (purpose == Purpose.WRITE || purpose == Purpose.BACKLOG) {
            properties.put(PREFIX + "polling.fixed.interval", NEVER);
        }
        return properties;
    }

    /** All that a user of the starter has to write. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
