package outbox.boot.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.OutboxException;
import outbox.boot.autoconfigure.SchemaMigration.Scripts;
import outbox.boot.listener.GroupRecords;
import outbox.inbox.DefaultEventHandlerTemplate;
import outbox.inbox.EventDedupRepository;
import outbox.inbox.EventHandlerTemplate;
import outbox.inbox.TransactionRunner;
import outbox.inbox.jdbc.InboxSchema;
import outbox.inbox.jdbc.JdbcInbox;
import outbox.jdbc.TableName;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.spi.TxContext;

/** The tables of consume records, one in the database of each outbox that has consumers. */
final class Inboxes {

    private final OutboxProperties properties;
    private final OutboxAssembler assembler;
    private final BeanFactory beans;
    private final Map<DataSource, Ready> ready = new ConcurrentHashMap<>();

    Inboxes(OutboxProperties properties, OutboxAssembler assembler, BeanFactory beans) {
        SettingsCheck.checkInbox(properties);
        this.properties = properties;
        this.assembler = assembler;
        this.beans = beans;
    }

    /** A table that was found to be as it should be. */
    record Ready(JdbcInbox inbox, EventDedupRepository repository, EventHandlerTemplate template) {

        GroupRecords groupRecords() {
            return new GroupRecords(template, repository, inbox.records());
        }
    }

    /**
     * The table in an outbox's database.
     *
     * @throws outbox.jdbc.OutboxStoreException that names the script if it is missing
     */
    Ready ready(OutboxSettings settings) {
        DataSource dataSource = assembler.dataSource(settings);
        return ready.computeIfAbsent(dataSource, source -> make(source, settings));
    }

    private Ready make(DataSource dataSource, OutboxSettings settings) {
        TableName table = SettingsCheck.tableName(properties.getInbox().getTable());
        assembler.migrate(settings, database -> Scripts.ofInbox(table, database));
        if (EmbeddedDatabases.wants(settings.getSchema().getInitialize(), dataSource)) {
            create(dataSource, table);
        }
        TxContext context = assembler.transactions(dataSource);
        JdbcInbox inbox = JdbcInbox.on(dataSource, context, table);
        inbox.checkSchema();
        EventDedupRepository repository = inbox.repository();
        return new Ready(
                inbox, repository, new DefaultEventHandlerTemplate(repository, context, transactions(settings)));
    }

    /** The records of those databases that have consumers. */
    Collection<FinishedRecords> used() {
        TableName table = SettingsCheck.tableName(properties.getInbox().getTable());
        return ready.entrySet().stream()
                .map(one -> new FinishedRecords(
                        one.getValue().inbox().records(), one.getKey(), table, assembler.tablesIn(one.getKey())))
                .toList();
    }

    private static void create(DataSource dataSource, TableName table) {
        try (Connection conn = dataSource.getConnection()) {
            InboxSchema.create(conn, JdbcOutboxStores.detect(dataSource).name(), table);
            if (!conn.getAutoCommit()) {
                conn.commit();
            }
        } catch (SQLException e) {
            throw new OutboxException("Cannot create table " + table, e);
        }
    }

    private TransactionRunner transactions(OutboxSettings settings) {
        String name = settings.getTransactionManager();
        PlatformTransactionManager manager = name == null
                ? beans.getBean(PlatformTransactionManager.class)
                : beans.getBean(name, PlatformTransactionManager.class);
        TransactionTemplate template = new TransactionTemplate(
                manager, new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
        return work -> template.executeWithoutResult(status -> work.run());
    }
}
