package outbox.benchmarks.peer;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Business;

/** The business transaction of the peers that live in Spring. */
final class SpringTransactions {

    private final DataSource dataSource;
    private final TransactionTemplate template;

    SpringTransactions(DataSource dataSource) {
        this(dataSource, new DataSourceTransactionManager(dataSource));
    }

    SpringTransactions(DataSource dataSource, PlatformTransactionManager manager) {
        this.dataSource = dataSource;
        this.template = new TransactionTemplate(manager);
    }

    /** Inserts the business row, does the work and commits. */
    void inTransaction(BenchEvent first, Runnable work) {
        template.executeWithoutResult(status -> {
            insertBusinessRow(first);
            work.run();
        });
    }

    private void insertBusinessRow(BenchEvent event) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            Business.insert(connection, event);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot insert the business row", e);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }
}
