package outbox.benchmarks.peer;

import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.task.TaskExecutor;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.scheduling.annotation.EnableAsync;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.database.Pool;
import outbox.benchmarks.database.Scratch;
import outbox.benchmarks.report.Progress;

/**
 * Spring Modulith's event publication registry on JDBC. With defaults an {@code @ApplicationModuleListener}, which has a
 * transaction of its own; tuned a plain asynchronous listener without one, and publications are deleted when complete.
 */
final class ModulithCandidate extends PeerCandidate {

    /** What an application that is not about Modulith leaves out. */
    static final String AUTO_CONFIGURATIONS = String.join(
            ",",
            "org.springframework.modulith.events.config.EventPublicationAutoConfiguration",
            "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration",
            "org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration",
            "org.springframework.modulith.moments.autoconfigure.MomentsAutoConfiguration");

    ModulithCandidate(boolean usesDefaults) {
        super("modulith", usesDefaults);
    }

    @Override
    public boolean deletes() {
        return !usesDefaults();
    }

    @Override
    public String pendingQuery() {
        return "SELECT count(*) FROM event_publication WHERE completion_date IS NULL";
    }

    /** The application creates what it needs when it starts. */
    @Override
    public void createTables(Scratch database) {}

    @Override
    public Participant open(Scratch database, Purpose purpose, Deliveries deliveries) {
        Pool pool = database.openPool();
        ConfigurableApplicationContext context =
                SpringHost.boot(Application.class, pool, properties(), beans -> register(beans, purpose, deliveries));
        Runnable start = purpose == Purpose.DRAIN ? () -> resubmit(context) : () -> {};
        return SpringHost.hosting(pool, context, event -> context.publishEvent(new PeerEvent(event.payload())), start);
    }

    /** In a thread of its own: it reads all publications before the first is submitted. */
    private static void resubmit(ConfigurableApplicationContext context) {
        IncompleteEventPublications incomplete = context.getBean(IncompleteEventPublications.class);
        Thread thread =
                new Thread(() -> incomplete.resubmitIncompletePublications(publication -> true), "modulith-resubmit");
        thread.setUncaughtExceptionHandler((ended, e) -> Progress.problem("modulith was still resubmitting", e));
        thread.start();
    }

    private void register(GenericApplicationContext beans, Purpose purpose, Deliveries deliveries) {
        if (usesDefaults()) {
            beans.registerBean(ModulithListener.class, () -> new ModulithListener(deliveries));
        } else {
            beans.registerBean(ModulithPlainListener.class, () -> new ModulithPlainListener(deliveries));
        }
        if (purpose == Purpose.WRITE || purpose == Purpose.BACKLOG) {
            beans.registerBean("taskExecutor", TaskExecutor.class, () -> task -> {});
        }
    }

    private Map<String, String> properties() {
        Map<String, String> properties = new HashMap<>();
        properties.put("namastack.outbox.enabled", "false");
        properties.put("spring.modulith.events.jdbc.schema-initialization.enabled", "true");
        if (!usesDefaults()) {
            properties.put("spring.modulith.events.completion-mode", "delete");
            properties.put("spring.task.execution.pool.core-size", "12");
        }
        return properties;
    }

    /** All that a user of the starter has to write. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableAsync
    static class Application {}
}
