package outbox.boot.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.env.Environment;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxWriter;
import outbox.boot.InvalidOutboxException;
import outbox.boot.OutboxBuilderCustomizer;
import outbox.boot.OutboxPublisher;
import outbox.boot.PayloadFormat;
import outbox.boot.autoconfigure.SchemaMigration.Scripts;
import outbox.boot.listener.AnnotatedListeners;
import outbox.dispatch.AddedJitterRetryPolicy;
import outbox.dispatch.Ordering;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.wakeup.PostgresWakeUps;
import outbox.spi.MetricsExporter;
import outbox.spi.TxContext;

/** Makes the beans of each outbox, the one without a name and those under {@code outbox.more}, from its properties. */
final class OutboxAssembler {

    /** The name of the outbox whose properties stand directly under {@code outbox}. */
    static final String ONLY = "outbox";

    /** By which name the beans find it that it makes. */
    static final String BEAN = "outboxAssembler";

    private static final Duration PHASE_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration DRAIN_TIMEOUT = Duration.ofMillis(OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS);

    private final OutboxProperties properties;
    private final BeanFactory beans;
    private final Environment environment;
    private final Map<DataSource, TxContext> transactions = new ConcurrentHashMap<>();

    OutboxAssembler(OutboxProperties properties, BeanFactory beans, Environment environment) {
        this.properties = properties;
        this.beans = beans;
        this.environment = environment;
    }

    /** The settings of an outbox. */
    OutboxSettings settings(String name) {
        OutboxSettings settings =
                name.equals(ONLY) ? properties : properties.getMore().get(name);
        if (settings == null) {
            throw new InvalidOutboxException(
                    "there is no outbox named \"" + name + "\"",
                    "describe it under outbox.more." + name + ", or name one of "
                            + properties.getMore().keySet());
        }
        return settings;
    }

    Outbox outbox(String name) {
        OutboxSettings settings = settings(name);
        SettingsCheck.check(prefix(name), settings);
        DataSource dataSource = dataSource(settings);
        TableName table = SettingsCheck.tableName(settings.getTable());
        migrate(settings, database -> Scripts.ofOutbox(table, database, settings.getOrdering()));
        OutboxBuilder builder = JdbcOutbox.builder(dataSource, transactions(dataSource), table);
        apply(name, settings, builder);
        if (settings.getRelay().isListen()) {
            builder.poller(poller -> poller.wakeUpSource(new PostgresWakeUps(dataSource, table)));
        }
        if (EmbeddedDatabases.wants(settings.getSchema().getInitialize(), dataSource)) {
            builder.createTable();
        }
        beans.getBeanProvider(OutboxBuilderCustomizer.class)
                .orderedStream()
                .forEach(customizer -> customizer.customize(name, builder));
        return builder.build();
    }

    /** By the application's own tools, if it has one and wants that. */
    void migrate(OutboxSettings settings, Function<String, Scripts> scripts) {
        List<SchemaMigration> tools =
                beans.getBeanProvider(SchemaMigration.class).orderedStream().toList();
        if (settings.getSchema().isMigrate() && !tools.isEmpty()) {
            DataSource dataSource = dataSource(settings);
            Scripts wanted = scripts.apply(JdbcOutboxStores.detect(dataSource).name());
            tools.forEach(tool -> tool.bringUpToDate(dataSource, wanted));
        }
    }

    private void apply(String name, OutboxSettings settings, OutboxBuilder builder) {
        builder.listeners(beans.getBean(AnnotatedListeners.class).of(name));
        if (settings.getOrdering() == Ordering.PER_AGGREGATE) {
            builder.ordered();
        }
        relay(name, settings, builder);
        cleaner(settings.getCleaner(), builder);
        builder.oldestPendingLimit(settings.getHealth().getOldestPending());
        Long limit = settings.getPendingLimit();
        if (limit != null) {
            builder.pendingLimit(limit, settings.getWhenFull());
        }
        builder.skipPreflight(settings.getSkipPreflight().toArray(String[]::new));
        MetricsFactory metrics = beans.getBeanProvider(MetricsFactory.class)
                .getIfAvailable(() -> (outbox, table) -> MetricsExporter.NOOP);
        builder.metrics(metrics.exporterOf(name, settings.getTable()));
    }

    private void relay(String name, OutboxSettings settings, OutboxBuilder builder) {
        RelaySettings relay = settings.getRelay();
        builder.claimLocking(relay.getLockTtl()).unroutable(relay.getUnroutable());
        if (relay.isSingleActive()) {
            builder.singleActive();
        }
        long drainMs = drainTimeout(name, relay).toMillis();
        AddedJitterRetryPolicy pauses = new AddedJitterRetryPolicy(
                settings.getRetry().getFirstDelay().toMillis(),
                settings.getRetry().getLongestDelay().toMillis(),
                AddedJitterRetryPolicy.DEFAULT_MAX_JITTER_MS);
        builder.dispatcher(dispatcher -> dispatcher
                .workerCount(relay.getWorkers())
                .maxAttempts(relay.getMaxAttempts())
                .retryPolicy(pauses)
                .drainTimeoutMs(drainMs));
        builder.poller(
                poller -> poller.intervalMs(relay.getPollInterval().toMillis()).batchSize(relay.getBatchSize()));
        if (!relay.isEnabled()) {
            builder.writerOnly();
        }
    }

    private static void cleaner(OutboxSettings.Cleaner cleaner, OutboxBuilder builder) {
        builder.retention(cleaner.getRetention());
        if (cleaner.isDeadEnabled()) {
            Duration dead = cleaner.getDeadRetention();
            builder.deadRetention(dead == null ? cleaner.getRetention() : dead);
        }
        if (!cleaner.isEnabled()) {
            builder.withoutPurge();
        }
    }

    /** A stop must end before Spring gives the phase up. */
    private Duration drainTimeout(String name, RelaySettings relay) {
        String given = environment.getProperty("spring.lifecycle.timeout-per-shutdown-phase");
        Duration phase = given == null ? PHASE_TIMEOUT : DurationStyle.detectAndParse(given);
        Duration wanted = relay.getDrainTimeout();
        if (wanted == null) {
            Duration most = phase.multipliedBy(4).dividedBy(5);
            return most.compareTo(DRAIN_TIMEOUT) < 0 ? most : DRAIN_TIMEOUT;
        }
        if (wanted.compareTo(phase) >= 0) {
            throw new InvalidOutboxException(
                    prefix(name) + ".relay.drain-timeout must be shorter than"
                            + " spring.lifecycle.timeout-per-shutdown-phase (" + phase.toMillis() + "ms), was "
                            + wanted.toMillis() + "ms",
                    "shorten the one or lengthen the other");
        }
        return wanted;
    }

    private static String prefix(String name) {
        return name.equals(ONLY) ? "outbox" : "outbox.more." + name;
    }

    DataSource dataSource(OutboxSettings settings) {
        String name = settings.getDataSource();
        return name == null ? beans.getBean(DataSource.class) : beans.getBean(name, DataSource.class);
    }

    /** The tables of events in that database. */
    List<TableName> tablesIn(DataSource dataSource) {
        List<OutboxSettings> all = new ArrayList<>(properties.getMore().values());
        all.add(properties);
        return all.stream()
                .filter(settings -> dataSource(settings) == dataSource)
                .map(settings -> SettingsCheck.tableName(settings.getTable()))
                .toList();
    }

    /** Where the bean of that name has its table; an outbox of the application's own has it where the first one would have it. */
    DataSource dataSourceOfBean(String beanName) {
        return properties.getMore().entrySet().stream()
                .filter(more -> OutboxBeanNames.outbox(more.getKey()).equals(beanName))
                .findAny()
                .map(more -> dataSource(more.getValue()))
                .orElseGet(() -> dataSource(properties));
    }

    /** One for each data source, so that a transaction can write to several outboxes. */
    TxContext transactions(DataSource dataSource) {
        return transactions.computeIfAbsent(dataSource, GuardedTransactions::new);
    }

    OutboxWriter writer(String name) {
        return outboxBean(name).writer();
    }

    OutboxPublisher publisher(String name) {
        boolean ordered = settings(name).getOrdering() == Ordering.PER_AGGREGATE;
        return new WritingPublisher(
                writer(name), beans.getBean(EventMappings.class), beans.getBean(PayloadFormat.class), ordered);
    }

    OutboxLifecycle lifecycle(String name) {
        return new OutboxLifecycle(outboxBean(name));
    }

    private Outbox outboxBean(String name) {
        return name.equals(ONLY)
                ? beans.getBean(Outbox.class)
                : beans.getBean(OutboxBeanNames.outbox(name), Outbox.class);
    }
}
