package outbox.samples.operations;

import java.util.Objects;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.inbox.ConsumeOptions;
import outbox.inbox.ConsumeResult;
import outbox.inbox.DefaultEventHandlerTemplate;
import outbox.inbox.EventHandlerTemplate;
import outbox.inbox.TransactionRunner;
import outbox.inbox.jdbc.JdbcInbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.spi.ConsumeMetrics;

/**
 * A consumer group: charges each order once, however often its event is delivered. The record that says so, the charge and the invoice for the
 * partner are committed together.
 */
final class Billing {

    /** Its customer has no card. */
    static final String UNPAYABLE = "unpayable-1";

    private static final String GROUP = "BILLING";

    private final ThreadLocalTxContext transactions = new ThreadLocalTxContext();
    private final EventHandlerTemplate template;
    private final Outbox partner;

    Billing(DataSource dataSource, ConsumeMetrics metrics) {
        this.template = new DefaultEventHandlerTemplate(
                JdbcInbox.on(dataSource, transactions).repository(),
                transactions,
                TransactionRunner.of(
                        new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), transactions)),
                metrics);
        this.partner = JdbcOutbox.builder(dataSource, transactions, SharedDatabase.PARTNER_OUTBOX)
                .writerOnly()
                .build();
    }

    ConsumeResult bill(EventEnvelope event) {
        return template.consume(GROUP, event, this::charge, ConsumeOptions.retriedBySender());
    }

    private void charge(EventEnvelope event) throws Exception {
        String orderId = Objects.requireNonNull(event.aggregateId());
        if (UNPAYABLE.equals(orderId)) {
            throw new IllegalStateException("this customer has no card");
        }
        JdbcTemplate.update(transactions.currentConnection(), "INSERT INTO charges VALUES (?)", orderId);
        partner.write("InvoiceIssued", orderId, event.payloadJson());
    }
}
