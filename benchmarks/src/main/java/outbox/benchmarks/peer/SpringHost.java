package outbox.benchmarks.peer;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.database.Pool;

/** A Spring Boot application around a peer. */
final class SpringHost implements Participant {

    private final Pool pool;
    private final ConfigurableApplicationContext context;
    private final SpringTransactions transactions;
    private final Consumer<BenchEvent> publish;
    private final Runnable start;

    private SpringHost(
            Pool pool, ConfigurableApplicationContext context, Consumer<BenchEvent> publish, Runnable start) {
        this.pool = pool;
        this.context = context;
        this.transactions =
                new SpringTransactions(pool.dataSource(), context.getBean(PlatformTransactionManager.class));
        this.publish = publish;
        this.start = start;
    }

    /** Boots the application, with the pool as its data source and the given beans beside those of its configuration. */
    static ConfigurableApplicationContext boot(
            Class<?> configuration,
            Pool pool,
            Map<String, String> properties,
            Consumer<GenericApplicationContext> beans) {
        // Set before Spring Boot looks: there is no logging framework to configure.
        System.setProperty("org.springframework.boot.logging.LoggingSystem", "none");
        return new SpringApplicationBuilder(configuration)
                .web(WebApplicationType.NONE)
                .bannerMode(org.springframework.boot.Banner.Mode.OFF)
                .registerShutdownHook(false)
                .properties(Map.copyOf(properties))
                .initializers(context -> {
                    GenericApplicationContext generic = (GenericApplicationContext) context;
                    generic.registerBean("dataSource", javax.sql.DataSource.class, pool::dataSource);
                    beans.accept(generic);
                })
                .run();
    }

    static Participant hosting(
            Pool pool, ConfigurableApplicationContext context, Consumer<BenchEvent> publish, Runnable start) {
        return new SpringHost(pool, context, publish, start);
    }

    @Override
    public void write(List<BenchEvent> events) {
        transactions.inTransaction(events.get(0), () -> events.forEach(publish));
    }

    @Override
    public void start() {
        start.run();
    }

    @Override
    public void close() {
        context.close();
        pool.close();
    }
}
