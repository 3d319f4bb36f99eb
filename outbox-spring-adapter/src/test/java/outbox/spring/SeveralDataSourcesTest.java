package outbox.spring;

import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import outbox.OutboxWriter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** A transaction on one data source must not be taken for one on another: the event would be committed on its own. */
class SeveralDataSourcesTest {

    private final TestDatabase orders = new TestDatabase();
    private final TestDatabase stock = new TestDatabase();
    private final Outcomes orderOutcomes = new Outcomes();
    private final Outcomes stockOutcomes = new Outcomes();
    private final OutboxWriter orderWriter = writer(orders.dataSource(), orderOutcomes);
    private final OutboxWriter stockWriter = writer(stock.dataSource(), stockOutcomes);

    @AfterEach
    void close() {
        orders.close();
        stock.close();
    }

    @Test
    void an_event_for_a_data_source_outside_the_transaction_is_refused() {
        int before = stock.openSessions();

        orders.required().executeWithoutResult(status -> assertRefused(stockWriter));

        assertThat(stock.committedEvents()).isEmpty();
        assertThat(stock.openSessions()).isEqualTo(before);
    }

    @Test
    void a_connection_that_was_merely_borrowed_during_the_transaction_is_not_taken_for_part_of_it() {
        orders.required().executeWithoutResult(status -> {
            stock.jdbc().queryForObject("SELECT COUNT(*) FROM orders", Integer.class);
            assertRefused(stockWriter);
        });

        assertThat(stock.committedEvents()).isEmpty();
    }

    @Test
    void a_borrowed_connection_is_recognised_even_if_it_never_commits_by_itself() throws Exception {
        SingleConnectionDataSource manualCommit =
                new SingleConnectionDataSource(stock.dataSource().getConnection(), true);
        manualCommit.setAutoCommit(false);
        OutboxWriter manualCommitWriter = writer(manualCommit, stockOutcomes);

        orders.required().executeWithoutResult(status -> {
            new JdbcTemplate(manualCommit).queryForObject("SELECT COUNT(*) FROM orders", Integer.class);
            assertRefused(manualCommitWriter);
        });
        manualCommit.destroy();
    }

    @Test
    void each_event_follows_the_transaction_of_its_own_data_source() {
        orders.required().executeWithoutResult(outer -> {
            orderWriter.write("OrderPlaced", "{}");
            stock.required().executeWithoutResult(inner -> stockWriter.write("StockReserved", "{}"));
            assertThat(stockOutcomes.committed).containsExactly("StockReserved");
            assertThat(orderOutcomes.committed).isEmpty();
            outer.setRollbackOnly();
        });

        assertThat(stock.committedEvents()).containsExactly("StockReserved");
        assertThat(orders.committedEvents()).isEmpty();
        assertThat(orderOutcomes.committed).isEmpty();
        assertThat(orderOutcomes.rolledBack).containsExactly("OrderPlaced");
    }

    @Test
    void two_contexts_on_one_data_source_share_the_transaction() {
        Outcomes others = new Outcomes();
        OutboxWriter otherWriter = writer(orders.dataSource(), others);

        orders.required().executeWithoutResult(status -> {
            orderWriter.write("OrderPlaced", "{}");
            otherWriter.write("OrderAudited", "{}");
        });

        assertThat(orderOutcomes.committed).containsExactly("OrderPlaced");
        assertThat(others.committed).containsExactly("OrderAudited");
    }

    private static void assertRefused(OutboxWriter writer) {
        assertThatIllegalStateException()
                .isThrownBy(() -> writer.write("Lost", "{}"))
                .withMessageStartingWith("No transaction on the DataSource ")
                .withMessageContaining("would be committed on its own");
    }

    private static OutboxWriter writer(DataSource dataSource, Outcomes outcomes) {
        return new OutboxWriter(new SpringTxContext(dataSource), new EventTable(), outcomes);
    }
}
