package outbox.spring;

import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** An H2 database of its own, with a table of events and one of business data. */
final class TestDatabase implements AutoCloseable {

    private final DataSource dataSource =
            new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    private final DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);

    TestDatabase() {
        jdbc().execute("CREATE TABLE event (event_id VARCHAR(36) PRIMARY KEY, event_type VARCHAR(100) NOT NULL)");
        jdbc().execute("CREATE TABLE orders (id INT PRIMARY KEY)");
    }

    DataSource dataSource() {
        return dataSource;
    }

    JdbcTemplate jdbc() {
        return new JdbcTemplate(dataSource);
    }

    TransactionTemplate required() {
        return propagation(TransactionDefinition.PROPAGATION_REQUIRED);
    }

    TransactionTemplate requiresNew() {
        return propagation(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    TransactionTemplate nested() {
        return propagation(TransactionDefinition.PROPAGATION_NESTED);
    }

    TransactionTemplate readOnly() {
        TransactionTemplate template = required();
        template.setReadOnly(true);
        return template;
    }

    TransactionTemplate propagation(int behavior) {
        return new TransactionTemplate(manager, new DefaultTransactionDefinition(behavior));
    }

    /** The types of the events that are visible to a session of its own: what has been committed. */
    List<String> committedEvents() {
        return new JdbcTemplate(new Detached(dataSource))
                .queryForList("SELECT event_type FROM event ORDER BY event_type", String.class);
    }

    /** How many connections are open, the one that asks left out. */
    int openSessions() {
        Integer sessions = new JdbcTemplate(new Detached(dataSource))
                .queryForObject("SELECT COUNT(*) FROM INFORMATION_SCHEMA.SESSIONS", Integer.class);
        return sessions - 1;
    }

    /** Makes whatever is still under way fail at its commit. */
    void crash() {
        new JdbcTemplate(new Detached(dataSource)).execute("SHUTDOWN IMMEDIATELY");
    }

    @Override
    public void close() {
        jdbc().execute("SHUTDOWN");
    }
}
